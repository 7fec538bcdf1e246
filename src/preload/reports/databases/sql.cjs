'use strict';

/** What is longer is read so far: where a literal does not end, it takes the rest along. */
const readCharsMax = 4_096;
const textCharsMax = 1_000;
const targetsMax = 3;

/**
 * Comments, strings of all kinds, names in quotes, parameters and numbers. Of those only names and
 * parameters are told: the rest may be what somebody entered.
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

/** Whether a string ends before or after such a quote depends on settings of the database. */
const isDoubtful = (token) => /^[^e"$/-].*\\'/is.test(token);

/** A query as it may be told: without what is different each time, and in short. */
function statementOf(sql) {
  const text = withoutLiterals(sql.slice(0, readCharsMax));
  const operation = /^[\s(;]*([a-z]{1,20})\b/i.exec(text ?? sql)?.[1]?.toUpperCase() ?? 'QUERY';
  const targets = text === undefined ? [] : targetsIn(text);
  return {
    operation,
    summary: [operation, ...targets].join(' '),
    text: text?.slice(0, textCharsMax),
    /** What spans of it have in common, encoded, by the place of the database. */
    encoded: new Map(),
  };
}

/** Undefined when it can't be told where its literals end. */
function withoutLiterals(sql) {
  let isClear = true;
  const bare = sql.replace(tokens, (token) => {
    if (isDoubtful(token)) isClear = false;
    if (token.startsWith('--') || token.startsWith('/*')) return ' ';
    return token.startsWith('"') || /^\$\d+$/.test(token) ? token : '?';
  });
  // Comments may lie within each other.
  if (!isClear || bare.includes('*/')) return undefined;
  return shortened(bare.replace(/\s+/g, ' ').trim());
}

/** Lists are as long as somebody's data. */
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

/** As many different queries as a program may have; those with literals in them have no end. */
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
