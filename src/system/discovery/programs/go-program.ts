import {
  argumentsOf,
  buildFolder,
  filesIn,
  localPath,
  type Program,
  type ProgramPlace,
  textIn,
  wordsOf,
} from './program-place.ts';

export function goProgram(place: ProgramPlace): Program {
  const { name, line = '', image } = place;
  const [, ...given] = wordsOf(line.replace(/^go run\s+(?:-\S+\s+)*/, ''));
  const output = `${buildFolder}/${name}`;
  const built = argumentsOf(image, 'go build') ?? argumentsOf(image, 'go install') ?? [];
  const flags = keptFlags(built);
  const target = targetOf(place, built);
  if (target === undefined) {
    const unknown = `${name}: which package is its program; write services.${name}.build: go build -o ${output} ./cmd/…`;
    return { unknown: [unknown], tagging: 'baggage' };
  }
  const variables = image?.runs.some((run) => /\bCGO_ENABLED=0\b/.test(run))
    ? 'CGO_ENABLED=0 '
    : '';
  return {
    build: `${variables}go build ${[...flags, '-o', output, target].join(' ')}`,
    command: [output, ...given.map((word) => localPath(word, place))].join(' '),
    tagging: 'baggage',
  };
}

/** Only tags change what the program is; the rest is about the size of the image. */
function keptFlags(built: readonly string[]): string[] {
  return built.flatMap((word, at) => {
    if (/^--?tags=/.test(word)) return [word];
    return /^--?tags$/.test(word) ? [word, built[at + 1] ?? ''] : [];
  });
}

function targetOf(place: ProgramPlace, built: readonly string[]): string | undefined {
  const last = built
    .filter((word, at) => !word.startsWith('-') && !takesValue(built[at - 1]))
    .at(-1);
  const named = last && !last.includes('$') ? localPath(last, place) : undefined;
  if (named !== undefined && exists(place, named)) return named;
  const ran = /^go run\s+(?:-\S+\s+)*(\S+)/.exec(place.line ?? '')?.[1];
  return ran ?? mainPackage(place);
}

const takesValue = (flag = ''): boolean => /^-(?:o|ldflags|gcflags|tags|mod|p)$/.test(flag);

function exists(place: ProgramPlace, target: string): boolean {
  const folder = target.replace(/^\.\//, '').replace(/\/$/, '');
  return (
    folder === '.' ||
    folder === '' ||
    filesIn(place).some((file) => file === folder || file.startsWith(`${folder}/`))
  );
}

/** The package of the program: here, or the one below `cmd` that has its name or is alone there. */
function mainPackage(place: ProgramPlace): string | undefined {
  const sources = filesIn(place).filter(
    (file) => file.endsWith('.go') && !file.endsWith('_test.go'),
  );
  const mains = sources.filter((file) => /^package main\b/m.test(textIn(place, file)));
  const folders = [...new Set(mains.map((file) => file.replace(/(?:^|\/)[^/]*$/, '')))];
  if (folders.includes('')) return '.';
  const own = folders.find((folder) => folder.split('/').at(-1) === place.name);
  const found = own ?? (folders.length === 1 ? folders[0] : undefined);
  return found === undefined ? undefined : `./${found}`;
}
