'use strict';

const Module = require('node:module');

/** Files of packages that have to be changed where they are, by how their paths end. */
const files = new Map([
  [
    '/@grpc/grpc-js/build/src/resolving-call.js',
    ({ ResolvingCall }) => require('./grpc-call.cjs').tagGrpcCalls(ResolvingCall),
  ],
]);

/**
 * Every file in CommonJS is compiled here, required or imported, in each copy that a process has.
 * The end of its name tells apart nearly all of them from those that we look for.
 */
function tagPackages() {
  const { _compile } = Module.prototype;
  Module.prototype._compile = function (content, filename, ...rest) {
    const result = Reflect.apply(_compile, this, [content, filename, ...rest]);
    if (filename.endsWith('-call.js')) tagPackage(filename.replaceAll('\\', '/'), this.exports);
    return result;
  };
}

function tagPackage(path, exported) {
  for (const [end, tag] of files) if (path.endsWith(end)) tag(exported);
}

module.exports = { tagPackages };
