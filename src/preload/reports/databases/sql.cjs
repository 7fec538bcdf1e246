'use strict';

/** Longer statements are read up to here; a literal that is cut off is removed to the end. */
const readCharsMax = 4_096;
const textCharsMax = 1_000;
const targetsMax = 3;

/**
 * Comments, strings of all kinds, quoted names, parameters and numbers. Only names and parameters
 * are reported: the others may be user input.
 */
const tokens = new RegExp(
  [
    /--[^\n]*/,
    /\/\*[\s\S]*?(?:\*\/|$)/,
    /\be'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)/,
    /(?:\b(?:[bxn]|u&))?'(?:[^']|'')*(?:'|$)/,
    /\$([a-z_]\w*)?\$[\s\S]*?(?:\$\1\$|$)/,
    /"(?:[^"]|"")*(?:"|$)/,
    /\$\d+/,
    /\b\d[\w.]*(?:(?<=e)[+-]\d+)?/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

/** Whether a string ends at such a quote depends on settings of the database. */
const isDoubtful = (token) => /^[^e"$/-].*\\'/is.test(token);

/** A statement as it may be reported: without values, and shortened. */
function statementOf(sql) {
  const text = withoutLiterals(sql.slice(0, readCharsMax));
  const operation = /^[\s(;]*([a-z]{1,20})\b/i.exec(text ?? sql)?.[1]?.toUpperCase() ?? 'QUERY';
  const targets = text === undefined ? [] : targetsIn(text);
  return {
    operation,
    summary: [operation, ...targets].join(' '),
    text: text?.slice(0, textCharsMax),
    /** What its spans have in common, encoded, by the address of the database. */
    encoded: new Map(),
  };
}

/** Undefined if it is unclear where its literals end. */
function withoutLiterals(sql) {
  let isClear = true;
  const bare = sql.replace(tokens, (token) => {
    if (isDoubtful(token)) isClear = false;
    if (token.startsWith('--') || token.startsWith('/*')) return ' ';
    return token.startsWith('"') || /^\$\d+$/.test(token) ? token : '?';
  });
  // Comments may be nested.
  if (!isClear || bare.includes('*/')) return undefined;
  return shortened(bare.replace(/\s+/g, ' ').trim());
}

/** Lists are as long as the data of a user. */
function shortened(text) {
  return text
    .replace(/(\?|\$\d+)(?: ?, ?(?:\?|\$\d+))+/g, '$1, …')
    .replace(/(\bvalues ?\([^()]*\))(?: ?, ?\([^()]*\))+/gi, '$1, …');
}

const name = /(?:"[^"]+"|[\w$]+)/.source;
const target = new RegExp(
  `(?<!\\bfor )\\b(?:from|join|into|update|table) (?:only |if (?:not )?exists )?` +
    `(?!set\\b|select\\b|lateral\\b|skip\\b|nowait\\b|of\\b)(${name}(?:\\.${name})*)`,
  'gi',
);

function targetsIn(text) {
  const found = new Set([...text.matchAll(target)].map(([, one]) => one));
  return [...found].slice(0, targetsMax);
}

/** As many statements as a program may have; statements that contain literals are unlimited. */
const statementsMax = 500;
const statements = new Map();

function knownStatement(sql) {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  const made = statementOf(sql);
  if (statements.size >= statementsMax) statements.clear();
  if (sql.length <= readCharsMax) statements.set(sql, made);
  return made;
}

module.exports = { knownStatement, statementOf };
