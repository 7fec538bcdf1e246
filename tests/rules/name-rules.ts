import { isCode, isTestCode, type SourceFile } from './source-files.ts';

const declaration = /^export (?:interface|type|(?:abstract )?class|enum) (\w+)/gm;

/** Exported types of src with the same name in more than one file: one word per thing. */
export function typeNamesAreUnique(files: readonly SourceFile[]): string[] {
  const places = new Map<string, string[]>();
  for (const { path, text } of files) {
    if (!path.startsWith('src/') || !isCode(path) || isTestCode(path)) continue;
    for (const [, name = ''] of text.matchAll(declaration)) {
      places.set(name, [...(places.get(name) ?? []), path]);
    }
  }
  return [...places]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name}  is declared in ${paths.join(' and ')}`);
}
