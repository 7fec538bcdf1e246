import type { CodeJudge } from './code-port.ts';

/** Packages that open no file but the one of a test, start no program and reach no host. */
const safeImports = new Set([
  ...'testing fmt strings strconv errors sort math time bytes regexp context cmp slices maps'.split(
    ' ',
  ),
  ...'unicode unicode/utf8 encoding/json encoding/hex encoding/base64 sync sync/atomic'.split(' '),
  ...'math/rand math/bits math/big container/list container/heap hash/fnv iter'.split(' '),
]);

/** A Go file can do nothing but what its imports and its own package offer. */
export const isHarmlessGo: CodeJudge = (code) => {
  if (/^\s*\/\/go:|^\s*\/\/\s*#|"C"|`C`|"unsafe"/m.test(code)) return false;
  const blocks = [...code.matchAll(/^\s*import\s*\(([^)]*)\)/gm)].map(([, inner = '']) => inner);
  const single = [...code.matchAll(/^\s*import\s+([^(\n].*)$/gm)].map(([, inner = '']) => inner);
  const paths = [...blocks, ...single].join('\n').match(/"[^"\n]*"|`[^`\n]*`/g) ?? [];
  const mentioned = code.match(/\bimport\b/g)?.length ?? 0;
  if (mentioned !== blocks.length + single.length) return false;
  return paths.every((path) => safeImports.has(path.slice(1, -1)));
};
