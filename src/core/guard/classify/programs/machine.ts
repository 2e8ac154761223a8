/** System packages, version managers and containers. */
import { external, never, read, rows, type Table, type Use } from '../program-row.ts';

export const machine: Table = {
  ...rows(
    `apt apt-get aptitude dpkg yum dnf apk pacman zypper snap flatpak brew port rpm nix nix-env guix emerge`,
    read('own', { judge: judgeSystemPackages }),
  ),
  ...rows('apt-cache dpkg-query', read('own')),
  ...rows(
    'nvm fnm volta asdf mise rbenv pyenv rustup sdk corepack',
    read('own', {
      judge: (use) => {
        if (
          !/^(?:list|ls|current|version|versions|which|--version|show|where|list-all|ls-remote)$/.test(
            use.args.find(({ text }) => text !== 'toolchain')?.text ?? '',
          )
        )
          use.raise('external_mutation', `${use.name} changes the programs installed on this machine`);
      },
    }),
  ),
  ...rows(
    'docker podman nerdctl docker-compose podman-compose buildah skopeo crictl',
    external('acts through a service with root rights on this machine', { net: true, judge: judgeDocker }),
  ),
  ...rows('ctr lxc lxd incus runc machinectl systemd-nspawn', never('acts with root rights on this machine')),
};

function judgeSystemPackages(use: Use): void {
  const looks =
    /^(?:list|search|show|info|policy|depends|rdepends|-l|-L|-s|-S[si]+|-Q\w*|-q\w*|--list|--status|--search|--listfiles|which|query|deps|leaves|outdated|config|--prefix|home|desc)$/;
  if (use.args.some(({ text }) => /^--(?:pipe|eval|define|load|root|undefine|predefine)|^-[ED]$|^-o$|^-o./.test(text)))
    use.raise('deny', `an option of ${use.name} runs a program or changes how it works`);
  if (!use.args.some(({ text }) => looks.test(text)))
    use.raise('deny', `${use.name} changes the programs installed on this machine`);
}

function judgeDocker(use: Use): void {
  if (
    use.args.some(
      ({ text }, at) =>
        /^--(?:privileged|pid=host|net(?:work)?=host|ipc=host|cap-add|security-opt|device|userns=host)|docker\.sock/.test(
          text,
        ) ||
        ((/^(?:-v|--volume)$/.test(use.args[at - 1]?.text ?? '') || /^(?:-v|--volume=|--mount)/.test(text)) &&
          /(?:^|[=,])(?:source=|src=)?[/~]/.test(text.replace(/^-v|^--volume=/, '')) &&
          !text.includes(use.state.where.desk)),
    )
  )
    use.raise('deny', `${use.name} would give a container access to this machine`);
}
