// Takes the place of js-yaml, which gray-matter requires at its top: front matter is parsed by `yaml`, the engine that
// core/schema/front-matter.ts gives to gray-matter. A second parser would be 31 modules that nothing calls.
exports.safeLoad = exports.safeDump = () => {
  throw new Error('front matter is parsed by yaml (core/schema/front-matter.ts)');
};
