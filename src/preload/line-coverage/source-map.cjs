'use strict';

const { readFileSync } = require('node:fs');
const { dirname, resolve } = require('node:path');
const { fileURLToPath } = require('node:url');

/**
 * The parts of a script that were made from watched lines; null if no source of its map is
 * watched. Lines begin with 1, columns with 0.
 */
function findMapped(sourceMapUrl, script, watched) {
  const { text, directory } = readMap(sourceMapUrl, dirname(script));
  const { mappings, sources, sourceRoot = '' } = JSON.parse(text);
  const files = sources.map((source) => pathOf(sourceRoot, source, directory));
  if (!files.some((file) => watched.has(file))) return null;
  const parts = [];
  for (const [index, segments] of decode(mappings).entries()) {
    for (const [nth, { column, source, sourceLine, sourceColumn }] of segments.entries()) {
      const file = files[source];
      if (!watched.get(file)?.includes(sourceLine + 1)) continue;
      const to = segments[nth + 1]?.column ?? Infinity;
      const mapped = [sourceLine + 1, sourceColumn];
      parts.push({ line: index + 1, from: column, to, file, source: mapped });
    }
  }
  return parts;
}

function readMap(url, directory) {
  if (!url.startsWith('data:')) {
    const path = url.startsWith('file:') ? fileURLToPath(url) : resolve(directory, url);
    return { text: readFileSync(path, 'utf8'), directory: dirname(path) };
  }
  const [, encoding = '', data = ''] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
  const text = encoding === '' ? decodeURIComponent(data) : Buffer.from(data, 'base64').toString();
  return { text, directory };
}

function pathOf(root, source, directory) {
  if (source.startsWith('file:')) return fileURLToPath(source);
  return resolve(directory, root.startsWith('file:') ? fileURLToPath(root) : root, source);
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The segments of each line, as the specification of source maps (ECMA-426) encodes them. */
function decode(mappings) {
  let [source, sourceLine, sourceColumn] = [0, 0, 0];
  return mappings.split(';').map((line) => {
    let column = 0;
    return line.split(',').flatMap((text) => {
      const fields = decodeFields(text);
      column += fields[0] ?? 0;
      if (fields.length < 4) return [];
      source += fields[1];
      sourceLine += fields[2];
      sourceColumn += fields[3];
      return [{ column, source, sourceLine, sourceColumn }];
    });
  });
}

function decodeFields(text) {
  const fields = [];
  let [value, shift] = [0, 0];
  for (const character of text) {
    const digit = digits.indexOf(character);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    fields.push(value & 1 ? -(value >>> 1) : value >>> 1);
    [value, shift] = [0, 0];
  }
  return fields;
}

module.exports = { findMapped };
