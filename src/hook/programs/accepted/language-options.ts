import type { AcceptedOptions } from './accepted-options.ts';

const python: AcceptedOptions = {
  options: 'c! m! u B b bb d E I i O OO P q s S t v V W= X= x h help version #',
  stopsAtOperand: true,
};

/** Interpreters: code of options is judged by the description, other ways to load code are held. */
export const languageOptions: Readonly<Record<string, AcceptedOptions>> = {
  ...Object.fromEntries(
    `
      python python2 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13
      pypy3
    `
      .trim()
      .split(/\s+/)
      .map((name) => [name, python]),
  ),
  node: {
    options: `
      e= eval= p print pe= c check i interactive h help v version r= require= import= loader=
      experimental-loader= test test-name-pattern= test-skip-pattern= test-only test-timeout=
      test-concurrency= test-reporter= test-reporter-destination= test-coverage-exclude=
      test-coverage-include= test-coverage-lines= test-coverage-branches=
      test-coverage-functions= test-force-exit test-shard= test-update-snapshots test-isolation=
      experimental-test-coverage experimental-test-module-mocks experimental-test-isolation=
      watch watch-path= watch-preserve-output run= no-warnings no-deprecation warnings
      deprecation trace-warnings trace-deprecation trace-uncaught trace-exit throw-deprecation
      enable-source-maps max-old-space-size= max-semi-space-size= max-http-header-size=
      stack-size= stack-trace-limit= experimental-strip-types experimental-transform-types
      experimental-vm-modules experimental-sqlite experimental-websocket
      experimental-wasm-modules experimental-json-modules experimental-import-meta-resolve
      experimental-specifier-resolution= experimental-fetch experimental-global-webcrypto
      experimental-default-type= experimental-eventsource experimental-permission permission
      input-type= conditions= C= preserve-symlinks unhandled-rejections= expose-gc expose_gc
      inspect inspect-brk inspect-port= disable-warning= harmony use-strict prof cpu-prof
      heap-prof env-file= env-file-if-exists= abort-on-uncaught-exception insecure-http-parser
      dns-result-order= use-system-ca use-openssl-ca tls-min-v1.2 trace-gc
      no-experimental-strip-types allow-natives-syntax track-heap-objects title= no-addons
    `,
    stopsAtOperand: true,
  },
  ruby: {
    options: 'c w W0 W1 W2 W e= n p l a F= i v version help y s x r= S U E= enable= disable=',
    stopsAtOperand: true,
  },
  php: {
    options: 'l r= B= R= E= i v m n h version help s w q f= ini modules info',
    stopsAtOperand: true,
  },
  lua: { options: 'e= l= i v E W', stopsAtOperand: true },
  perl: { options: 'c w W e= E= n p i l 0 a F= v V s t T M= m= x X S u U C', stopsAtOperand: true },
  java: {
    options: `
      jar! version showversion help ea enableassertions da disableassertions cp= classpath=
      class-path= m= module= p= module-path= enable-preview source= add-modules= add-opens=
      add-exports= add-reads= server client
    `,
    attached:
      /^-(?:D[\w.-]+(?:=.*)?|X(?:mx|ms|ss|mn)\w+|XX:[+-]\w+|XX:\w+=\d+\w*|ea:.*|da:.*|verbose(?::\w+)?)$/,
    singleDash: true,
    stopsAtOperand: true,
  },
  tsx: {
    options: `
      e= eval= p= print= watch test r= require= import= tsconfig= no-cache include= exclude=
      clear-screen test-name-pattern= test-reporter= env-file= conditions= C= no-warnings
      enable-source-maps h help v version inspect inspect-brk experimental-test-coverage
      test-concurrency=
    `,
    stopsAtOperand: true,
  },
  'ts-node': {
    options: `
      e= eval= p= print= T transpile-only P= project= r= require= esm swc files pretty typeCheck
      log-error I= ignore= D O= H cwd-mode script-mode prefer-ts-exts emit show-config h help v
      version
    `,
    stopsAtOperand: true,
  },
  nodemon: {
    options: `
      x= exec= w= watch= e= ext= i= ignore= q quiet V verbose L legacy-watch delay= d= C inspect
      r= require= h help v version
    `,
    stopsAtOperand: true,
  },
  bun: {
    options: `
      h help v version watch hot silent b bun if-present filter= cwd= e= eval= p= print=
      elide-lines= smol tsconfig-override= env-file= inspect
    `,
    verbs: {
      run: '',
      test: `
        t= test-name-pattern= u update-snapshots coverage coverage-reporter= timeout= bail only
        todo rerun-each= reporter= randomize
      `,
      build: `
        outdir= outfile= target= minify sourcemap splitting format= external= entry-naming=
        production compile packages= watch
      `,
      ...Object.fromEntries(
        `
          install i add remove rm update x create link publish pm upgrade outdated why audit
          init repl exec
        `
          .trim()
          .split(/\s+/)
          .map((verb) => [verb, '*']),
      ),
      '*': '',
    },
  },
  deno: {
    options: 'h help V version q quiet',
    verbs: {
      run: `
        A allow-all allow-read allow-env allow-net allow-sys no-check check watch config= c=
        no-lock lock= reload cached-only unstable node-modules-dir no-remote R N E W P no-prompt
      `,
      test: `
        A allow-all allow-read allow-env allow-net allow-sys filter= fail-fast coverage parallel
        no-check watch doc ignore= junit-path= reporter= trace-leaks R N E W P no-run
      `,
      ...Object.fromEntries(
        'fmt lint check'
          .trim()
          .split(/\s+/)
          .map((verb) => [verb, 'check fix watch ignore= quiet q all doc json compact']),
      ),
      task: 'cwd= recursive r filter= f=',
      ...Object.fromEntries(
        'info doc types bench cache outdated'
          .trim()
          .split(/\s+/)
          .map((verb) => [verb, 'json filter= A allow-all no-check reload']),
      ),
      ...Object.fromEntries(
        'eval repl install add remove upgrade publish deploy jupyter compile bundle init'
          .trim()
          .split(/\s+/)
          .map((verb) => [verb, '*']),
      ),
    },
  },
};
