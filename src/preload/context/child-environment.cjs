'use strict';

const preload = require.resolve('../tag.cjs');

/** Read at the start of this process, because an application may clear its own environment. */
const ours = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name.startsWith('SURETY_')),
);
// This variable is for the process that listens, not for those that it starts.
const { SURETY_LISTEN_PORT: _, ...common } = ours;

/** The variables that a child needs in addition to `environment`, to be tagged like its parent. */
function childEnvironment(environment) {
  const { NODE_OPTIONS = '' } = environment;
  const missing = Object.entries(common).filter(([name]) => environment[name] === undefined);
  const options = NODE_OPTIONS.includes(preload)
    ? NODE_OPTIONS
    : `--require ${quoted(preload)} ${NODE_OPTIONS}`.trimEnd();
  return { ...Object.fromEntries(missing), NODE_OPTIONS: options };
}

/** Node splits its options at blanks that are not between quotes. */
function quoted(path) {
  return `"${path.replace(/["\\]/g, '\\$&')}"`;
}

module.exports = { childEnvironment };
