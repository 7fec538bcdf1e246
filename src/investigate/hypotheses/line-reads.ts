const keywords = new Set(
  `as async await break case catch class const continue default delete do else export extends false
  finally for from function if import in instanceof interface let new null of return static super
  switch this throw true try type typeof undefined var void while yield any boolean never number
  readonly string unknown Array Boolean Date Intl JSON Map Math Number Object Promise Set String`.split(
    /\s+/,
  ),
);

const readsMax = 8;
/** The path of a name, unless it is called, is a key of an object, or is part of a longer path. */
const path = /(?<![\w$.])[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?![\w$]*\s*[(:])/g;
const comparison = /(?<![\w$.])[\w$.]+\s*(?:[<>]=?|[!=]==)\s*[\w$.]+(?![\w$.(])/g;

/** What a probe at a line of code may read: comparisons, then names. */
export function readsOf(text: string): string[] {
  const code = text
    .replace(/\/\/.*$|(['"`])(?:\\.|(?!\1).)*\1/g, ' ')
    .replace(/\.\.\./g, ' ')
    .replace(/\?\./g, '.')
    .replace(/=>/g, ' ');
  const comparisons = [...code.matchAll(comparison)].map(([found]) => found.trim());
  const names = [...code.matchAll(path)]
    .map(([found]) => found)
    .filter((name) => !keywords.has(name.split('.')[0] ?? ''));
  const known = comparisons.filter((one) => !keywords.has(one.split(/[\s.<>=!]/)[0] ?? ''));
  return [...new Set([...known, ...names])].slice(0, readsMax);
}

/** Lines that run nothing themselves: no probe can stand there. */
export function isCode(text: string): boolean {
  const line = text.trim();
  return (
    line !== '' &&
    !/^(?:\/\/|\/?\*|import\b|(?:export )?(?:type|interface|(?:async )?function)\b|[)}\]]+[;,]?$)/.test(
      line,
    )
  );
}
