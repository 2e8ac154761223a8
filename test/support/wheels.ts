/** Wheels made by hand: a zip with the files and what pip wants to know about them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

export type WheelSpec = {
  name: string;
  version?: string;
  files?: Readonly<Record<string, string>>;
  needs?: readonly string[];
  scripts?: Readonly<Record<string, string>>;
};

const MAKE = `
import base64, hashlib, json, sys, zipfile
folder, spec = sys.argv[1], json.loads(sys.argv[2])
name, version = spec["name"], spec.get("version", "1.0")
info = f"{name}-{version}.dist-info"
files = dict(spec.get("files", {}))
files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n" + "".join(f"Requires-Dist: {need}\\n" for need in spec.get("needs", []))
files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
files[f"{info}/entry_points.txt"] = "[console_scripts]\\n" + "".join(f"{key}={value}\\n" for key, value in spec.get("scripts", {}).items())
digest = lambda text: base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
files[f"{info}/RECORD"] = "".join(f"{path},sha256={digest(text)},{len(text)}\\n" for path, text in files.items()) + f"{info}/RECORD,,\\n"
with zipfile.ZipFile(f"{folder}/{name}-{version}-py3-none-any.whl", "w") as wheel:
    for path, text in files.items():
        wheel.writestr(path, text)
`;

export function makeWheels(folder: string, specs: readonly WheelSpec[]): void {
  mkdirSync(folder, { recursive: true });
  for (const spec of specs) {
    const { status, stderr } = spawnSync('python3', ['-c', MAKE, folder, JSON.stringify(spec)], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }
}

export const canMakeEnvironments =
  spawnSync('/usr/bin/python3', ['-c', 'import venv, ensurepip'], { stdio: 'ignore' }).status === 0;
