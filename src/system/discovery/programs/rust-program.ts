import {
  buildFolder,
  localPath,
  type Program,
  type ProgramPlace,
  textIn,
  wordsOf,
} from './program-place.ts';

export function rustProgram(place: ProgramPlace): Program {
  const manifest = textIn(place, 'Cargo.toml');
  const named = /^\[\[bin\]\][^[]*?^name\s*=\s*"([\w-]+)"/ms.exec(manifest)?.[1];
  const own = /^\[package\][^[]*?^name\s*=\s*"([\w-]+)"/ms.exec(manifest)?.[1];
  const program = named ?? own ?? place.name;
  const given = wordsOf(place.line ?? '').slice(1);
  return {
    build: `cargo build --release --target-dir ${buildFolder}`,
    command: [
      `${buildFolder}/release/${program}`,
      ...given.map((word) => localPath(word, place)),
    ].join(' '),
    tagging: 'baggage',
  };
}
