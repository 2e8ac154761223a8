/** Which distribution a module of Python comes in, and which commands come from Python packages. */

/** `module distribution`; one name alone means that both are called so. Dotted modules are packages of their own. */
const MODULES = parseTable(`
  yaml PyYAML / bs4 beautifulsoup4 / PIL Pillow / cv2 opencv-python-headless / sklearn scikit-learn / skimage scikit-image
  dateutil python-dateutil / dotenv python-dotenv / docx python-docx / pptx python-pptx / magic python-magic
  jwt PyJWT / OpenSSL pyOpenSSL / Crypto pycryptodome / nacl PyNaCl / serial pyserial / usb pyusb / zmq pyzmq
  MySQLdb mysqlclient / psycopg2 psycopg2-binary / pymysql PyMySQL / git GitPython / github PyGithub / gitlab python-gitlab
  fitz PyMuPDF / markdown Markdown / jinja2 Jinja2 / flask Flask / django Django / werkzeug Werkzeug / sqlalchemy SQLAlchemy
  ruamel.yaml ruamel.yaml / pkg_resources setuptools / distutils setuptools / setuptools / wheel / attr attrs / attrs
  telegram python-telegram-bot / discord discord.py / slack_sdk / googleapiclient google-api-python-client
  google.cloud.storage google-cloud-storage / google.cloud.bigquery google-cloud-bigquery / google.protobuf protobuf
  google.oauth2 google-auth / apiclient google-api-python-client / boto boto / boto3 / botocore
  Levenshtein python-Levenshtein / slugify python-slugify / unidecode Unidecode / chardet / charset_normalizer charset-normalizer
  xdg pyxdg / Xlib python-xlib / gi PyGObject / wx wxPython / kivy Kivy / pygame / OpenGL PyOpenGL / lxml / html5lib
  cssselect / pyquery / feedparser / scrapy Scrapy / selenium / playwright / mechanize / requests / requests_oauthlib requests-oauthlib
  requests_toolbelt requests-toolbelt / httpx / aiohttp / urllib3 / certifi / idna / websocket websocket-client / websockets
  numpy / scipy / pandas / matplotlib / seaborn / plotly / bokeh / altair / statsmodels / sympy / networkx / numba / dask / polars
  pyarrow / fastparquet / openpyxl / xlrd / xlsxwriter XlsxWriter / xlwt / odf odfpy / tabulate / prettytable / csvkit / agate
  tqdm / rich / click / typer / colorama / termcolor / blessed / questionary / prompt_toolkit prompt-toolkit / docopt / fire
  pytest / hypothesis / mock / coverage / tox / nox / mypy / black / ruff / flake8 / pylint / isort / pycodestyle
  fastapi / uvicorn / gunicorn / starlette / pydantic / marshmallow / celery / redis / pymongo / elasticsearch / kafka kafka-python
  nltk / spacy / gensim / transformers / torch / torchvision / tensorflow / keras / xgboost / lightgbm / onnx / onnxruntime
  cryptography / paramiko / fabric / invoke / psutil / pexpect / sh / watchdog / schedule / apscheduler APScheduler
  toml / tomli / tomlkit / simplejson / orjson / ujson / msgpack / cbor2 / jsonschema / xmltodict / pdfplumber / pypdf / PyPDF2
  pdfminer pdfminer.six / reportlab / weasyprint / qrcode / barcode python-barcode / imageio / wand Wand / exifread ExifRead
  mutagen / pydub / yt_dlp yt-dlp / ffmpeg ffmpeg-python / moviepy / soundfile / librosa / pytz / tzlocal / arrow / pendulum
  babel Babel / regex / cachetools / diskcache / joblib / cloudpickle / dill / six / packaging / more_itertools more-itertools
  typing_extensions typing-extensions / emoji / faker Faker / phonenumbers / geopy / shapely / folium / icalendar / vobject
  anthropic / openai / tiktoken / duckdb / sqlite_utils sqlite-utils / zstandard / brotli Brotli / lz4 / py7zr / rarfile
`);

/** Commands that come from PyPI: `command distribution`. */
const COMMANDS = parseTable(`
  csvkit / csvcut csvkit / csvgrep csvkit / csvjoin csvkit / csvlook csvkit / csvsort csvkit / csvsql csvkit / csvstack csvkit
  csvstat csvkit / in2csv csvkit / sql2csv csvkit / csvclean csvkit / csvformat csvkit / csvjson csvkit
  httpie / http httpie / https httpie / ruff / black / mypy / flake8 / pylint / isort / pytest / tox / nox / poetry / pipx
  yt-dlp / mkdocs / sphinx-build Sphinx / jupyter / ipython / cookiecutter / pre-commit / ansible
  ansible-playbook ansible / aws awscli / sqlite-utils / datasette / visidata / vd visidata / litecli / pgcli / mycli / glances
  speedtest-cli / pygmentize Pygments / markdown_py Markdown / rst2html docutils / yamllint / codespell
  pdf2txt.py pdfminer.six / img2pdf / ocrmypdf / streamlink / gallery-dl / thefuck / tldr / cmake / ninja / meson / uv
  scrapy Scrapy / jsonschema / jc / dbt dbt-core / twine / bandit / pip-audit / semgrep / sqlfluff
`);

/** Standard modules that Debian packs apart, and those that a Python built without a library lacks. */
const STANDARD: Readonly<Record<string, string>> = {
  tkinter: 'python3-tk',
  _tkinter: 'python3-tk',
  turtle: 'python3-tk',
  idlelib: 'idle-python3.11',
  ensurepip: 'python3-venv',
  venv: 'python3-venv',
  pip: 'python3-pip',
  lib2to3: 'python3-lib2to3',
  dbm: 'python3-gdbm',
  _gdbm: 'python3-gdbm',
  _bz2: 'libbz2-dev',
  _lzma: 'liblzma-dev',
  _sqlite3: 'libsqlite3-dev',
  _ssl: 'libssl-dev',
  _ctypes: 'libffi-dev',
  readline: 'libreadline-dev',
  apt: 'python3-apt',
  apt_pkg: 'python3-apt',
};

export const moduleRow = (module: string): string | undefined => MODULES.get(module);
export const pythonCommand = (command: string): string | undefined => COMMANDS.get(command);
export const isStandardModule = (module: string): boolean => Object.hasOwn(STANDARD, module);
export const debianModulePackage = (module: string): string | undefined => STANDARD[module];

const distributions = new Set([...MODULES.values(), ...COMMANDS.values()].map(normalizeName));

/** Whether the table knows a distribution, however it is written. */
export const isKnownDistribution = (name: string): boolean => distributions.has(normalizeName(name));

/** PyPI treats these spellings as the same. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

function parseTable(text: string): ReadonlyMap<string, string> {
  const rows = text.trim().split(/\s+\/\s+|\n\s*/);
  return new Map(
    rows
      .filter((row) => row !== '')
      .map((row) => {
        const [name = '', distribution = name] = row.trim().split(/\s+/);
        return [name, distribution];
      }),
  );
}
