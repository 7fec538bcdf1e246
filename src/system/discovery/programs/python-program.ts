import { posix } from 'node:path';
import {
  argumentsOf,
  filesIn,
  localLine,
  localPath,
  type Program,
  type ProgramPlace,
  textIn,
  wordsOf,
} from './program-place.ts';

const python = '.venv/bin/python';

export function pythonProgram(place: ProgramPlace): Program {
  const line = place.line === undefined ? guessedLine(place) : place.line;
  const { install, unknown = [] } = installOf(place);
  if (line === undefined) {
    const missing = `${place.name}: how to start it; write services.${place.name}.command: ${python} <file>.py`;
    return { install, tagging: 'baggage', unknown: [...unknown, missing] };
  }
  const isSrcLayout = filesIn(place).some((file) => /^src\/\w+\/__init__\.py$/.test(file));
  const source = isSrcLayout ? 'PYTHONPATH=src:$PYTHONPATH ' : '';
  return {
    install,
    command: `${source}${inVenv(localLine(line, place))}`,
    tagging: 'baggage',
    unknown,
  };
}

/** Modules whose command has another name. */
const modules: Readonly<Record<string, string>> = {
  fastapi: 'fastapi',
  'django-admin': 'django',
};

/**
 * By `python -m`: the scripts of a venv begin with the place in which it was made, and other
 * versions use the same venv from another place.
 */
function inVenv(line: string): string {
  const plain = line.replace(/^(?:uv|poetry|pipenv|pdm)\s+run\s+(?:-\S+\s+)*/, '');
  const [first = '', ...rest] = wordsOf(plain);
  const program = posix.basename(first);
  const isScript = /\.py$/.test(first);
  if (/^python[\d.]*$/.test(program)) return [python, ...rest].join(' ');
  if (isScript) return [python, first, ...rest].join(' ');
  if (/\.sh$|^(?:\.\/|cd$|\/)/.test(first)) return `PATH=$PWD/.venv/bin:$PATH ${plain}`;
  return [python, '-m', modules[program] ?? program.replaceAll('-', '_'), ...rest].join(' ');
}

const entryFiles = ['main.py', 'app.py', 'server.py', 'app/main.py', 'src/main.py', 'wsgi.py'];

/** What people type for the usual frameworks when no image says it. */
function guessedLine(place: ProgramPlace): string | undefined {
  const files = filesIn(place);
  if (files.includes('manage.py')) return 'python manage.py runserver 127.0.0.1:$PORT --noreload';
  const entry = entryFiles.find((file) => files.includes(file));
  if (entry === undefined) return undefined;
  const text = textIn(place, entry);
  const application = /^(\w+)\s*=\s*(?:FastAPI|Starlette)\(/m.exec(text)?.[1];
  if (application === undefined || /uvicorn\.run\(/.test(text)) return `python ${entry}`;
  const module = entry.replace(/\.py$/, '').replaceAll('/', '.');
  return `uvicorn ${module}:${application} --host 127.0.0.1 --port $PORT`;
}

type Install = Pick<Program, 'install' | 'unknown'>;

const makeVenv = 'python3 -m venv .venv';
const pip = '.venv/bin/pip install --quiet';

/** Only what the program needs, never the program itself: other versions use the same packages. */
function installOf(place: ProgramPlace): Install {
  const files = filesIn(place);
  const named = requirementFiles(place);
  if (files.includes('uv.lock')) {
    return { install: byTool(place, 'uv', 'sync --frozen --no-dev --no-install-project') };
  }
  if (files.includes('poetry.lock')) {
    const line = byTool(place, 'poetry', 'install --no-root --only main');
    return { install: `export POETRY_VIRTUALENVS_IN_PROJECT=true && ${line}` };
  }
  if (named.length > 0) {
    const list = named.map((file) => `-r ${file}`).join(' ');
    return { install: `${makeVenv} && ${pip} ${list}` };
  }
  if (files.includes('Pipfile')) {
    const line = byTool(place, 'pipenv', files.includes('Pipfile.lock') ? 'sync' : 'install');
    return { install: `export PIPENV_VENV_IN_PROJECT=1 && ${line}` };
  }
  const project = files.includes('pyproject.toml') && projectName(textIn(place, 'pyproject.toml'));
  if (project) {
    return {
      install: `${makeVenv} && ${pip} . && .venv/bin/pip uninstall --quiet --yes ${project}`,
    };
  }
  const packages = (
    argumentsOf(place.image, 'pip install') ??
    argumentsOf(place.image, 'pip3 install') ??
    []
  ).filter((word) => !word.startsWith('-') && !word.includes('$'));
  const also = packages.length > 0 ? ` && ${pip} ${packages.join(' ')}` : '';
  return { install: `${makeVenv}${also}` };
}

/** The files that the image installs, or the usual one. */
function requirementFiles(place: ProgramPlace): string[] {
  const runs = (place.image?.runs ?? []).join(' && ');
  const named = [...runs.matchAll(/(?:-r|--requirement)[= ]?\s*(\S+)/g)].map(([, file = '']) =>
    localPath(file, place).replace(/^\/(?:tmp|app|code|usr\/src\/app)\//, ''),
  );
  const files = filesIn(place);
  const there = [...new Set(named)].filter((file) => files.includes(file.replace(/^\.\//, '')));
  if (there.length > 0) return there;
  return ['requirements.txt', 'requirements/prod.txt', 'requirements/base.txt']
    .filter((file) => files.includes(file))
    .slice(0, 1);
}

function projectName(manifest: string): string | undefined {
  return /^\[project\][^[]*?^name\s*=\s*["']([\w.-]+)["']/ms.exec(manifest)?.[1];
}

/** A machine without the tool gets it into the venv. */
function byTool({ hasTool }: ProgramPlace, tool: string, rest: string): string {
  return hasTool(tool)
    ? `${tool} ${rest}`
    : `${makeVenv} && ${pip} ${tool} && .venv/bin/${tool} ${rest}`;
}
