/** Which Debian package contains a program, a library, a header: what only an image can have. */
import type { Need } from '../../../core/schema/dependency.ts';
import { debianModulePackage } from './known-python.ts';

/** `command package`; one name alone means that both are called so. */
const COMMANDS = parseTable(`
  ffmpeg / ffprobe ffmpeg / ffplay ffmpeg / libreoffice / soffice libreoffice / chromium / chromium-browser chromium / google-chrome chromium
  gcc / cc gcc / g++ / c++ g++ / make / gmake make / cmake / ninja ninja-build / autoconf / automake / libtool libtool-bin / m4 / bison / flex
  clang / clang++ clang / gdb / valgrind / strace / ltrace / pkg-config / ld binutils / as binutils / objdump binutils / strings binutils / ar binutils
  python3 / python python-is-python3 / pip3 python3-pip / pip python3-pip / pipx / ruby / gem ruby / irb ruby / bundle bundler / perl / php php-cli
  java default-jre-headless / javac default-jdk-headless / mvn maven / gradle / go golang-go / rustc / cargo / ghc / lua lua5.4 / Rscript r-base-core / R r-base-core
  octave / gnuplot / erl erlang-base / elixir / sbcl / node nodejs / npm
  git / git-lfs / git-svn git-svn / svn subversion / hg mercurial / curl / wget / rsync / ssh openssh-client / scp openssh-client / ssh-keygen openssh-client
  sshpass / nc netcat-openbsd / nmap / dig dnsutils / nslookup dnsutils / host bind9-host / ping iputils-ping / traceroute / ip iproute2 / ss iproute2 / netstat net-tools / ifconfig net-tools
  tcpdump / whois / socat / telnet / ftp / openssl / gpg gnupg / age / jq / yq / xmllint libxml2-utils / xsltproc / xmlstarlet / tidy
  sqlite3 / psql postgresql-client / pg_dump postgresql-client / pg_config libpq-dev / mysql default-mysql-client / mysqldump default-mysql-client / mysql_config default-libmysqlclient-dev / redis-cli redis-tools
  convert imagemagick / magick imagemagick / identify imagemagick / mogrify imagemagick / montage imagemagick / gs ghostscript / ps2pdf ghostscript / inkscape / rsvg-convert librsvg2-bin / dot graphviz / neato graphviz
  exiftool libimage-exiftool-perl / tesseract tesseract-ocr / pdftotext poppler-utils / pdfinfo poppler-utils / pdftoppm poppler-utils / pdfunite poppler-utils / pdfseparate poppler-utils / qpdf / pdftk pdftk-java / mutool mupdf-tools / wkhtmltopdf / weasyprint
  pandoc / pdflatex texlive-latex-base / xelatex texlive-xetex / lualatex texlive-luatex / latexmk / bibtex texlive-binaries / asciidoctor / groff / man man-db
  sox / lame / flac / oggenc vorbis-tools / opusenc opus-tools / espeak / mpv / vlc / mediainfo / optipng / jpegoptim / pngquant / cwebp webp / gifsicle / potrace
  zip / unzip / 7z p7zip-full / 7za p7zip-full / unrar unrar-free / xz xz-utils / zstd / bzip2 / lz4 / pigz / cpio / tar / cabextract
  tree / less / vim / nano / emacs emacs-nox / tmux / screen / htop / lsof / file / bc / dc / column bsdextrautils / hexdump bsdextrautils / xxd / uuidgen uuid-runtime / pv / parallel / expect / at / cron
  ps procps / top procps / free procps / pgrep procps / pkill procps / watch procps / killall psmisc / fuser psmisc / pstree psmisc / time / gawk / sed / patch / diff diffutils / ack ack / rg ripgrep / fd fd-find / fdfind fd-find / bat / fzf / entr / moreutils / sponge moreutils / ts moreutils / shellcheck / shfmt
  sudo / locale-gen locales / gettext / msgfmt gettext / envsubst gettext-base / xvfb-run xvfb / Xvfb xvfb / xdotool / xclip / dos2unix / recode / iconv libc-bin / aspell / hunspell / fc-list fontconfig / fc-match fontconfig / fc-cache fontconfig
  docker docker.io / podman / kubectl kubernetes-client / ansible / rclone / restic / borg borgbackup / aria2c aria2 / mosquitto_pub mosquitto-clients / calibre / ebook-convert calibre / busybox / zsh / fish / ksh ksh / tcsh / dash
`);

const LIBRARIES = parseTable(`
  libGL libgl1 / libEGL libegl1 / libGLU libglu1-mesa / libgthread-2.0 libglib2.0-0 / libglib-2.0 libglib2.0-0 / libgobject-2.0 libglib2.0-0 / libgio-2.0 libglib2.0-0
  libSM libsm6 / libICE libice6 / libXext libxext6 / libXrender libxrender1 / libX11 libx11-6 / libX11-xcb libx11-xcb1 / libxcb libxcb1 / libXi libxi6 / libXtst libxtst6 / libXrandr libxrandr2 / libXcomposite libxcomposite1 / libXdamage libxdamage1 / libXfixes libxfixes3 / libXcursor libxcursor1 / libXss libxss1 / libxkbcommon libxkbcommon0
  libnss3 libnss3 / libnssutil3 libnss3 / libnspr4 libnspr4 / libatk-1.0 libatk1.0-0 / libatk-bridge-2.0 libatk-bridge2.0-0 / libatspi libatspi2.0-0 / libcups libcups2 / libdrm libdrm2 / libgbm libgbm1 / libasound libasound2 / libpango-1.0 libpango-1.0-0 / libpangocairo-1.0 libpangocairo-1.0-0 / libpangoft2-1.0 libpangoft2-1.0-0 / libcairo libcairo2 / libgdk-3 libgtk-3-0 / libgtk-3 libgtk-3-0 / libdbus-1 libdbus-1-3 / libgdk_pixbuf-2.0 libgdk-pixbuf-2.0-0 / libharfbuzz libharfbuzz0b / libfontconfig libfontconfig1 / libfreetype libfreetype6
  libpq libpq5 / libmysqlclient default-libmysqlclient-dev / libmariadb libmariadb3 / libsqlite3 libsqlite3-0 / libodbc unixodbc / libssl libssl3 / libcrypto libssl3 / libffi libffi8 / libxml2 libxml2 / libxslt libxslt1.1 / libyaml-0 libyaml-0-2 / libzmq libzmq5 / libusb-1.0 libusb-1.0-0 / libmagic libmagic1 / libsndfile libsndfile1 / libportaudio libportaudio2 / libopenblas libopenblas0 / liblapack liblapack3 / libblas libblas3 / libgomp libgomp1 / libstdc++ libstdc++6 / libgfortran libgfortran5 / libquadmath libquadmath0
  libz zlib1g / libbz2 libbz2-1.0 / liblzma liblzma5 / libzstd libzstd1 / libjpeg libjpeg62-turbo / libpng16 libpng16-16 / libtiff libtiff6 / libwebp libwebp7 / libgif libgif7 / libopenjp2 libopenjp2-7 / libavcodec libavcodec59 / libavformat libavformat59 / libavutil libavutil57 / libswscale libswscale6 / libpcre2-8 libpcre2-8-0 / libpcre2-32 libpcre2-32-0 / libpcre libpcre3 / libedit libedit2 / libreadline libreadline8 / libncurses libncurses6 / libtinfo libtinfo6 / libuuid libuuid1 / libcurl libcurl4 / libgeos_c libgeos-c1v5 / libproj libproj25 / libgdal libgdal32 / libhdf5 libhdf5-103-1 / libnetcdf libnetcdf19 / libtcl8.6 libtcl8.6 / libtk8.6 libtk8.6 / libgmp libgmp10 / libmpfr libmpfr6 / libvips libvips42 / libpoppler-cpp libpoppler-cpp0v5 / libzbar libzbar0 / libespeak-ng libespeak-ng1 / libicuuc libicu72 / libicui18n libicu72 / libc libc6 / libm libc6
`);

/** Headers by their first folder or name, and names in pkg-config. */
const DEVELOPMENT = parseTable(`
  openssl libssl-dev / zlib.h zlib1g-dev / z zlib1g-dev / zlib zlib1g-dev / Python.h python3-dev / python3 python3-dev / ffi.h libffi-dev / libffi libffi-dev / sqlite3.h libsqlite3-dev / sqlite3 libsqlite3-dev
  libpq-fe.h libpq-dev / libpq libpq-dev / mysql.h default-libmysqlclient-dev / mysql default-libmysqlclient-dev / curl libcurl4-openssl-dev / libcurl libcurl4-openssl-dev / libxml libxml2-dev / libxml2 libxml2-dev / libxml-2.0 libxml2-dev / libxslt libxslt1-dev
  png.h libpng-dev / libpng libpng-dev / jpeglib.h libjpeg-dev / jpeg libjpeg-dev / tiff.h libtiff-dev / ft2build.h libfreetype-dev / freetype2 libfreetype-dev / fontconfig libfontconfig-dev / cairo.h libcairo2-dev / cairo libcairo2-dev / pango libpango1.0-dev / glib.h libglib2.0-dev / glib-2.0 libglib2.0-dev / gtk libgtk-3-dev / gtk+-3.0 libgtk-3-dev / gtk4 libgtk-4-dev
  readline libreadline-dev / ncurses.h libncurses-dev / curses.h libncurses-dev / ncurses libncurses-dev / bzlib.h libbz2-dev / bzip2 libbz2-dev / lzma.h liblzma-dev / liblzma liblzma-dev / zstd.h libzstd-dev / yaml.h libyaml-dev / yaml-0.1 libyaml-dev / gmp.h libgmp-dev / gmp libgmp-dev / mpfr.h libmpfr-dev / pcre.h libpcre3-dev / pcre2.h libpcre2-dev / libpcre2-8 libpcre2-dev / uuid uuid-dev
  alsa libasound2-dev / alsa libasound2-dev / portaudio.h portaudio19-dev / sndfile.h libsndfile1-dev / libavcodec libavcodec-dev / libavformat libavformat-dev / X11 libx11-dev / x11 libx11-dev / GL libgl-dev / gl libgl-dev / EGL libegl-dev / boost libboost-all-dev / Eigen libeigen3-dev / eigen3 libeigen3-dev / opencv2 libopencv-dev / opencv4 libopencv-dev / hdf5.h libhdf5-dev / gdal.h libgdal-dev / gdal libgdal-dev / geos_c.h libgeos-dev / proj.h libproj-dev / proj libproj-dev
  libusb-1.0 libusb-1.0-0-dev / usb.h libusb-dev / dbus libdbus-1-dev / dbus-1 libdbus-1-dev / systemd libsystemd-dev / libudev.h libudev-dev / pcap.h libpcap-dev / ldap.h libldap-dev / sasl libsasl2-dev / krb5.h libkrb5-dev / event.h libevent-dev / uv.h libuv1-dev / zmq.h libzmq3-dev / ev.h libev-dev / magic.h libmagic-dev / vips libvips-dev / vips-cpp libvips-dev / Magick++.h libmagick++-dev / wand libmagickwand-dev / MagickWand libmagickwand-dev / lua.h liblua5.4-dev / ruby.h ruby-dev / tcl.h tcl-dev / unicode libicu-dev / icu-uc libicu-dev / libsecret-1 libsecret-1-dev / gobject-introspection-1.0 libgirepository1.0-dev / security libpam0g-dev / linux linux-libc-dev / stdio.h libc6-dev / sys libc6-dev
`);

/** Null when nobody knows one. */
export function debianPackages(need: Pick<Need, 'kind' | 'name'>): string[] | null {
  const found = debianPackage(need);
  return found === undefined ? null : [found];
}

/** Commands of every Linux system, which nobody misses. */
const BASIC =
  'awk basename cat chmod chown clear cp cut date dirname echo env expr find grep head id join kill ln ls mkdir mktemp mv nl nproc paste printf pwd readlink realpath rm rmdir seq sleep sort split stat tail tee test touch tr uname uniq wc which xargs yes'.split(
    ' ',
  );

/** The command that a name is most likely a misspelling of: the same letters in another order, or one more or less. */
export function likelyMeant(name: string): string | null {
  const known = [...COMMANDS.keys(), ...BASIC];
  const letters = (word: string): string => word.split('').toSorted().join('');
  const swapped = known.find((each) => each !== name && each.length > 2 && letters(each) === letters(name));
  if (swapped !== undefined) return swapped;
  return known.find((each) => each.length > 4 && isOneLetterOff(each, name)) ?? null;
}

/** Whether one letter was left out of a word, or doubled. */
function isOneLetterOff(word: string, written: string): boolean {
  const [short, long] = word.length < written.length ? [word, written] : [written, word];
  if (long.length !== short.length + 1) return false;
  const at = long.split('').findIndex((letter, index) => letter !== short[index]);
  const isDoubled = long === word || long[at] === long[at - 1];
  return isDoubled && /[a-z]/.test(long[at] ?? '') && long.slice(at + 1) === short.slice(at);
}

function debianPackage({ kind, name }: Pick<Need, 'kind' | 'name'>): string | undefined {
  switch (kind) {
    case 'command':
      return COMMANDS.get(name);
    case 'library':
      return libraryPackages(name);
    case 'header':
      return DEVELOPMENT.get(name.split('/')[0] ?? '') ?? DEVELOPMENT.get(name.split('/').at(-1) ?? '');
    case 'pkgconfig':
      return DEVELOPMENT.get(name);
    case 'locale':
      return 'locales';
    case 'font':
      return 'fonts-dejavu-core';
    case 'device':
    case 'capability':
    case 'python':
    case 'node':
      return undefined;
  }
}

/** A library without a version is linked against: that needs what Debian has in -dev packages. */
function libraryPackages(name: string): string | undefined {
  const [family, inner = ''] = /^(?:perl|ruby|tex|r|python):/.test(name) ? name.split(/:(.*)/s) : ['', ''];
  if (family === 'perl') return `lib${inner.toLowerCase().replaceAll('::', '-')}-perl`;
  if (family === 'ruby') return `ruby-${inner.toLowerCase().replaceAll('_', '-')}`;
  if (family === 'tex') return 'texlive-latex-extra';
  if (family === 'r') return `r-cran-${inner.toLowerCase()}`;
  if (family === 'python') return debianModulePackage(inner);
  const stem = name.replace(/\.so(?:\.[\d.]+)?$/, '');
  if (name.endsWith('.so'))
    return (
      DEVELOPMENT.get(stem.slice(3)) ??
      DEVELOPMENT.get(`${stem.slice(3)}.h`) ??
      DEVELOPMENT.get(stem) ??
      LIBRARIES.get(stem)
    );
  return LIBRARIES.get(stem);
}

function parseTable(text: string): ReadonlyMap<string, string> {
  const rows = text.split(/\s+\/\s+|\n\s*/).filter((row) => row.trim() !== '');
  return new Map(
    rows.map((row) => {
      const [name = '', found = name] = row.trim().split(/\s+/);
      return [name, found];
    }),
  );
}
