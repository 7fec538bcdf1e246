import type { ExpandedWord } from './field.ts';
import type { Shell } from './shell.ts';

/** Builtins evaluate the subscript of a name, and with it the substitutions inside. */
export function checkSubscript({ kind, text }: ExpandedWord, shell: Shell): undefined {
  if (kind === 'exact' && /\w\[[^\]]*(?:\$\(|`)/.test(text))
    shell.unresolved('a subscript could run the text inside of it');
}
