import { posix } from 'node:path';
import type { ImageDescription } from '../dockerfile.ts';
import type { DiscoveredService } from '../found.ts';
import type { Repository } from '../repository.ts';

/** Where a program is, and what is known about how it is started. */
export interface ProgramPlace {
  readonly repository: Repository;
  /** The directory that the program belongs to. */
  readonly directory: string;
  /** The name of its service. */
  readonly name: string;
  /** The command line of the image or the compose file, if there is one. */
  readonly line?: string | undefined;
  readonly image?: ImageDescription | undefined;
  /** Whether this machine has a program of that name. */
  readonly hasTool: (name: string) => boolean;
}

/** How a program is installed, built and started. */
export type Program = Pick<
  DiscoveredService,
  | 'command'
  | 'port'
  | 'builtInPort'
  | 'install'
  | 'build'
  | 'tagging'
  | 'program'
  | 'environment'
  | 'health'
> & {
  /** In words, for people: what they have to do before it can start. */
  readonly unknown?: readonly string[];
};

/** What a build puts beside the sources; Go and git look into no folder with such a name. */
export const buildFolder = '.build';

export function filesIn({ repository, directory }: ProgramPlace): readonly string[] {
  const prefix = directory === '.' ? '' : `${directory}/`;
  return repository
    .files()
    .filter((file) => file.startsWith(prefix))
    .map((file) => file.slice(prefix.length));
}

export function textIn({ repository, directory }: ProgramPlace, file: string): string {
  return repository.text(posix.join(directory, file));
}

/** Words of a line for a shell; quotes stay, since the words are put together again. */
export function wordsOf(line: string): string[] {
  return line.match(/(?:[^\s"']+|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? [];
}

/** The arguments of the first RUN line that has these words; null without one. */
export function argumentsOf(image: ImageDescription | undefined, start: string): string[] | null {
  const parts = (image?.runs ?? []).flatMap((run) => run.split(/\s*(?:&&|;)\s*/));
  const found = parts.find((part) => new RegExp(String.raw`(?:^|\s)${start}(?:\s|$)`).test(part));
  if (found === undefined) return null;
  return wordsOf(found.slice(found.indexOf(start) + start.length));
}

/** A path in the image as a path from the program's directory; others stay as they are. */
export function localPath(path: string, { image, directory }: ProgramPlace): string {
  const below = directory === '.' ? '' : `${directory}/`;
  if (below !== '' && path.replace(/^\.\//, '').startsWith(below)) {
    return path.replace(/^\.\//, '').slice(below.length);
  }
  if (!image || !path.startsWith('/')) return path;
  const root = [image.contextRoot, image.workdir].find(
    (place) => place !== '/' && (path === place || path.startsWith(`${place}/`)),
  );
  if (root === undefined) return path;
  const within = posix.relative(root, path) || '.';
  // The context may be above the directory, and the image then has the directory in its paths.
  return below !== '' && within.startsWith(below) ? within.slice(below.length) : within;
}

export function localLine(line: string, place: ProgramPlace): string {
  return wordsOf(line)
    .map((word) => localPath(word, place))
    .join(' ');
}
