import { type ExpandedWord, exact, joinFields, pattern } from '../shell/field.ts';
import { baseName } from '../shell/path.ts';
import { fd, find } from './find.ts';
import { nameList, sortArguments } from './options.ts';
import type { KnownProgram, ProgramCall, Programs, ShellPort } from './program.ts';

export const filePrograms: Programs = {
  rm: removal,
  rmdir: removal,
  unlink: removal,
  shred: removal,
  srm: removal,
  trash: removal,
  'trash-put': removal,
  cp: copy,
  gcp: copy,
  install: copy,
  mv: move,
  rename: ({ args, shell }) => {
    const { operands } = sortArguments(args);
    for (const file of operands.slice(1)) shell.writes(file);
    if (operands[0]?.text.includes('/e') || /[`$(]/.test(operands[0]?.text ?? ''))
      shell.add({ kind: 'code.inline', values: { languages: ['perl'] } });
    return undefined;
  },
  ln: link,
  mkdir: writer(['m', 'mode']),
  mkfifo: writer(['m', 'mode']),
  touch: writer(['d', 'date', 't', 'r', 'reference']),
  truncate: writer(['s', 'size', 'r', 'reference']),
  fallocate: writer(['l', 'length', 'o', 'offset']),
  chmod: permission,
  chown: permission,
  chgrp: permission,
  chattr: permission,
  setfacl: permission,
  xattr: permission,
  tee: ({ args, stdin, shell }) => {
    for (const file of sortArguments(args).operands) {
      if (/^\/dev\/(?:tcp|udp)\//.test(file.text)) shell.connects(file.text.split('/')[3] ?? '');
      else shell.writes(file);
    }
    return stdin;
  },
  sponge: writer([]),
  dd: ({ args, shell }) => {
    for (const { kind, text } of args) {
      const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
      if (name === 'of') shell.writes({ kind, text: value ?? '' });
      else if (name === 'if') shell.reads({ kind, text: value ?? '' });
      else if (kind === 'unknown') shell.unresolved('dd has an argument that is not known');
    }
    return undefined;
  },
  split: ({ args, shell }) => {
    const { operands, has } = sortArguments(
      args,
      nameList('b l n a C filter additional-suffix lines bytes number'),
    );
    if (has('filter')) shell.unresolved('split runs another program');
    const [file, prefix = exact('x')] = operands;
    if (file) shell.reads(file);
    shell.writes(joinFields([prefix, pattern('*')]));
    return undefined;
  },
  csplit: ({ args, shell }) => {
    const { operands, valuesOf } = sortArguments(
      args,
      nameList('f prefix b suffix-format n digits'),
    );
    const [prefix = exact('xx')] = valuesOf('f', 'prefix');
    for (const file of operands.slice(0, 1)) shell.reads(file);
    shell.writes(joinFields([prefix, pattern('*')]));
    return undefined;
  },
  patch: ({ args, stdin, shell }) => {
    for (const file of patchedFiles(stdin)) shell.writes(file);
    const { operands, valuesOf, has } = sortArguments(
      args,
      nameList('i input d directory o output p B r D F V z Y g'),
    );
    const [directory] = valuesOf('d', 'directory');
    for (const file of [...operands.slice(0, 1), ...valuesOf('o', 'output', 'r')])
      shell.writes(file);
    if (operands.length === 0) shell.writes(directory ?? exact('.'));
    if (has('follow-symlinks')) shell.unresolved('patch follows links');
    return undefined;
  },
  tar,
  bsdtar: tar,
  zip: ({ args, shell }) => {
    const { operands, has } = sortArguments(
      args,
      nameList('x i P password b t tt TT unzip-command'),
    );
    if (has('TT', 'unzip-command') || args.some(({ text }) => /^-\w*TT/.test(text)))
      shell.unresolved('zip runs another program');
    const [archive, ...files] = operands;
    if (archive) shell.writes(archive);
    for (const file of files) shell.reads(file, has('r', 'recurse-paths'));
    if (has('m', 'move')) for (const file of files) shell.deletes(file);
    return undefined;
  },
  unzip: extraction(['d', 'P', 'x'], 'd'),
  unrar: extraction([], undefined),
  '7z': extraction([], undefined),
  cpio: ({ args, shell }) => {
    if (args.some(({ text }) => /^-\w*[ip]/.test(text)))
      shell.unresolved('cpio writes files that are not known');
    return undefined;
  },
  gzip: compression,
  gunzip: compression,
  bzip2: compression,
  bunzip2: compression,
  xz: compression,
  unxz: compression,
  zstd: compression,
  unzstd: compression,
  brotli: compression,
  rsync: ({ args, shell }) => {
    const { operands, has, isUnclear } = sortArguments(
      args,
      nameList(`
      e rsh exclude include filter f rsync-path log-file files-from exclude-from
      include-from password-file bwlimit T temp-dir backup-dir chmod chown port
      compare-dest link-dest copy-dest max-size min-size timeout
    `),
    );
    if (has('e', 'rsh', 'rsync-path')) shell.unresolved('rsync runs another program');
    if (isUnclear) shell.unresolved('rsync has an argument that is not known');
    const target = operands.at(-1);
    for (const place of operands) {
      const [, host] = /^(?:rsync:\/\/)?(?:[^@/]*@)?([\w.-]+):/.exec(place.text) ?? [];
      if (host !== undefined) shell.connects(host);
      else if (place === target) (has('delete') ? shell.deletes : shell.writes)(place);
      else shell.reads(place, true);
    }
    if (target && has('delete')) shell.writes(target);
    if (has('remove-source-files')) for (const place of operands.slice(0, -1)) shell.deletes(place);
    return undefined;
  },
  find,
  gfind: find,
  fd,
  fdfind: fd,
  locate: () => undefined,
  ed: (call) => editor(call),
  ex: (call) => editor(call),
  vi: (call) => editor(call),
  vim: (call) => editor(call),
  nvim: (call) => editor(call),
  nano: (call) => editor(call),
  emacs: (call) => editor(call),
};

/** Editors run what their options say, and what comes on standard input. */
function editor({ name, args, stdin, shell }: ProgramCall): undefined {
  const opaque =
    stdin || args.some(({ text }) => /^[+-]/.test(text) && !/^(?:--version|--help|-R)$/.test(text));
  if (opaque) shell.unresolved(`${name} runs commands of its own`);
  for (const file of sortArguments(args).operands) shell.writes(file);
}

/** The files that a patch on standard input names, with and without the first directory. */
export function patchedFiles(stdin: ExpandedWord | undefined): ExpandedWord[] {
  if (stdin?.kind !== 'exact') return [];
  const names = [...stdin.text.matchAll(/^(?:\+\+\+|---|rename to) ([^\t\n]+)/gm)];
  return names.flatMap((found) => {
    const name = (found[1] as string).trim();
    if (name === '/dev/null') return [];
    return [exact(name), exact(name.replace(/^[^/]+\//, ''))];
  });
}

function removal({ args, shell }: ProgramCall): undefined {
  const { operands } = sortArguments(args, ['n', 'iterations', 's', 'size']);
  for (const file of operands) shell.deletes(file);
}

function writer(taking: readonly string[]): KnownProgram {
  return ({ args, shell }) => {
    for (const file of sortArguments(args, taking).operands) shell.writes(file);
    return undefined;
  };
}

function permission({ name, args, shell }: ProgramCall): undefined {
  const { operands, valuesOf, has } = sortArguments(
    args.filter(({ text }) => !/^[-+=][rwxXstugo,]+$/.test(text) || text === '-R'),
    ['reference', 'm', 'x', 'M', 'X', 'w'],
  );
  for (const file of valuesOf('reference')) shell.reads(file);
  const isMode = args.some(({ text }) => /^[-+=][rwxXst]+$/.test(text));
  const hasNoMode = has('reference') || isMode || /^(?:chattr|setfacl|xattr)$/.test(name);
  const files = hasNoMode ? operands : operands.slice(1);
  for (const file of files) shell.touches(file);
  const isSpecial =
    name === 'chmod' && args.some(({ text }) => /^[ugoa]*\+[rwx]*s|^[2467]\d{3}$/.test(text));
  if (isSpecial)
    shell.add({ kind: 'machine.change', values: { operations: ['set a set-user-id bit'] } });
}

const copyOptions = nameList(`
  t target-directory S suffix m mode o owner g group backup sparse reflink
  strip-program
`);

function copy({ name, args, shell }: ProgramCall): undefined {
  const { operands, valuesOf, has } = sortArguments(args, copyOptions);
  if (has('strip-program')) shell.unresolved('install runs another program');
  if (name === 'install' && has('d', 'directory')) {
    for (const directory of operands) shell.writes(directory);
    return;
  }
  const [into] = valuesOf('t', 'target-directory');
  const sources = into ? operands : operands.slice(0, -1);
  const isLink = has('s', 'symbolic-link', 'l', 'link');
  for (const source of sources) {
    shell.reads(source, has('r', 'R', 'recursive', 'a', 'archive'));
    if (isLink && operands.at(-1)) shell.links(operands.at(-1) as ExpandedWord, source);
  }
  const target = into ?? operands.at(-1);
  if (target) writesInto(target, sources, shell);
}

/** The target itself, or a file of the same name in it: a link there would lead elsewhere. */
function writesInto(
  target: ExpandedWord,
  sources: readonly ExpandedWord[],
  shell: ShellPort,
): undefined {
  shell.writes(target);
  for (const source of sources) {
    if (source.kind === 'exact')
      shell.writes(joinFields([target, exact(`/${baseName(source.text)}`)]));
  }
}

function move({ args, shell }: ProgramCall): undefined {
  const { operands, valuesOf } = sortArguments(args, copyOptions);
  const [into] = valuesOf('t', 'target-directory');
  const sources = into ? operands : operands.slice(0, -1);
  for (const source of sources) {
    shell.reads(source);
    shell.deletes(source);
  }
  const target = into ?? operands.at(-1);
  if (target) writesInto(target, sources, shell);
}

function link({ args, shell }: ProgramCall): undefined {
  const { operands, valuesOf, has } = sortArguments(args, ['t', 'target-directory', 'S', 'suffix']);
  const [into] = valuesOf('t', 'target-directory');
  const [source, given] = operands;
  if (!source) return;
  const target = given ?? into ?? exact(baseName(source.text));
  shell.writes(target);
  if (!has('s', 'symbolic')) shell.reads(source);
  // Relative to where the link is, which for short names is the same directory.
  shell.links(target, source);
  if (source.kind === 'exact')
    shell.links(joinFields([target, exact(`/${baseName(source.text)}`)]), source);
}

const tarPrograms = nameList(`
  I use-compress-program to-command checkpoint-action F info-script new-volume-script rsh-command
`);

function tar({ args, shell }: ProgramCall): undefined {
  const [first, ...rest] = args;
  // The first argument may be options without a dash.
  const given = first && /^[A-Za-z]+$/.test(first.text) ? [exact(`-${first.text}`), ...rest] : args;
  const { operands, valuesOf, has, isUnclear } = sortArguments(
    given,
    nameList(`
    f file C directory X exclude exclude-from T files-from I use-compress-program
    to-command checkpoint-action F info-script new-volume-script rsh-command transform
    xform strip-components strip one-top-level owner group mode mtime level
  `),
  );
  if (has(...tarPrograms)) shell.unresolved('tar runs another program');
  if (isUnclear) shell.unresolved('tar has an argument that is not known');
  const directories = valuesOf('C', 'directory', 'one-top-level');
  const isCreate = has('c', 'create', 'r', 'append', 'u', 'update');
  for (const archive of valuesOf('f', 'file')) {
    const [, host] = /^(?:[^/@]*@)?([\w.-]+):/.exec(archive.text) ?? [];
    if (host !== undefined) shell.connects(host);
    else (isCreate ? shell.writes : shell.reads)(archive);
  }
  for (const list of valuesOf('T', 'files-from', 'X', 'exclude-from')) shell.reads(list);
  if (has('T', 'files-from') && isCreate) shell.unresolved('tar takes its files from a list');
  if (has('x', 'extract', 'get')) {
    if (has('P', 'absolute-names')) shell.unresolved('tar writes to absolute paths');
    for (const place of directories.length > 0 ? directories : [exact('.')]) {
      shell.fetches(place);
      for (const member of operands) shell.writes(joinFields([place, exact('/'), member]));
    }
  } else if (isCreate) {
    for (const file of [...operands, ...directories]) shell.reads(file, true);
    if (has('remove-files')) for (const file of operands) shell.deletes(file);
  }
}

function extraction(taking: readonly string[], into: string | undefined): KnownProgram {
  return ({ args, shell }) => {
    const { operands, valuesOf, has } = sortArguments(args, taking);
    if (operands[0]) shell.reads(operands[0]);
    if (args.some(({ text }) => /^-sdel$/.test(text)))
      shell.unresolved('the files are deleted after they were packed');
    if (has('l', 'p', 't', 'Z')) return undefined;
    const attached = args.find(({ text }) => into === undefined && /^-o./.test(text));
    const place =
      into === undefined
        ? attached
          ? { ...attached, text: attached.text.slice(2) }
          : undefined
        : valuesOf(into)[0];
    shell.fetches(place ?? exact('.'));
    for (const member of operands.slice(1))
      shell.writes(joinFields([place ?? exact('.'), exact('/'), member]));
    return undefined;
  };
}

function compression({ args, shell }: ProgramCall): undefined {
  const { operands, valuesOf, has } = sortArguments(args, ['S', 'suffix', 'o', 'output', 'T']);
  for (const file of valuesOf('o', 'output')) shell.writes(file);
  for (const file of operands)
    (has('c', 'stdout', 't', 'l', 'test', 'list') ? shell.reads : shell.writes)(file);
}
