import type { AcceptedOptions } from './accepted-options.ts';
import { tool, verbs } from './common-options.ts';

/** Tools with short options, or commands, of their own. The rest has only those above. */
export const developerOptions: Readonly<Record<string, AcceptedOptions>> = {
  tsc: tool(`
    p= project= b build w d i init locale= listEmittedFiles preserveWatchOutput outFile=
    declarationDir= rootDir= tsBuildInfoFile= noUnusedLocals noUnusedParameters
    exactOptionalPropertyTypes noUncheckedIndexedAccess jsxFactory= strictPropertyInitialization
  `),
  eslint: tool(`
    c= f= o= config= no-ignore no-error-on-unmatched-pattern ext= global= env= print-config=
    inspect-config stats flag= report-unused-inline-configs= suppress-all prune-suppressions
    pass-on-no-patterns quiet parser-options= rulesdir= plugin= parser=
    resolve-plugins-relative-to= format= output-file=
  `),
  prettier: tool(`
    c check l w u config= plugin= find-config-path= support-info file-info= no-config
    no-editorconfig no-plugin-search with-node-modules embedded-language-formatting=
    quote-props= jsx-single-quote bracket-same-line single-attribute-per-line insert-pragma
    require-pragma html-whitespace-sensitivity= range-start= range-end= experimental-ternaries
  `),
  jest: tool(`
    t= i u w= b o c= config= clearCache showConfig listTests lastCommit noStackTrace colors
    expand injectGlobals errorOnDeprecated openHandlesTimeout= randomize setupFilesAfterEnv=
    rootDir= roots= globalSetup= globalTeardown= testEnvironment= runner= reporters= transform=
    testRunner= testPathIgnorePatterns= modulePathIgnorePatterns= runTestsByPath
    testLocationInResults watchman json outputFile= coverageThreshold= clearMocks resetMocks
    restoreMocks maxConcurrency= ignoreProjects= nonFlagArgs= verbose=false shard= workerThreads
  `),
  vitest: {
    ...tool(`
      t= u w r= c= config= dir= root= reporter= allowOnly dangerouslyIgnoreUnhandledErrors
      no-color coverage= standalone changed retry= no-isolate no-coverage project= minWorkers=
      maxWorkers= fileParallelism typecheck.only disable-console-intercept logHeapUsage compare=
      outputJson= testTimeout= hookTimeout= teardownTimeout= maxConcurrency= expandSnapshotDiff
      printConsoleTrace tags= tagsFilter= attachmentsDir= includeTaskLocation update no-update
      api api= open clearCache
    `),
    attached:
      /^--(?:coverage|poolOptions|sequence|typecheck|browser|api|deps|diff|expect|benchmark|experimental)\./,
  },
  mocha: tool(`
    g= f= i R= t= s= w b r= require= file= reporter= reporter-options= O= ui= u= S A c C n=
    spec= config= package= opts= ignore= exit forbid-only forbid-pending jobs= j= p parallel
    grep= fgrep= invert slow= timeouts enable-source-maps
  `),
  webpack: tool(`
    c= w d= o= mode= env= config= node-env= output-path= entry= watch no-watch analyze stats
    progress hot no-hot open devtool= serve config-name= merge m fail-on-warnings
  `),
  rollup: tool(`
    c w d= f= i= o= m= p= plugin= input= file= dir= format= name= sourcemap external=
    configPlugin= environment= silent waitForBundleInput failAfterWarnings treeshake
    bundleConfigAsCjs e= n=
  `),
  vite: {
    ...tool(`
      c= m= l= f= d base= config= outDir= assetsDir= emptyOutDir ssr manifest force host host= w
      assetsInlineLimit= ssrManifest app
    `),
  },
  esbuild: {
    ...tool(`
      bundle minify sourcemap watch outfile= outdir= platform= format= target= external= define=
      loader= jsx= jsx-factory= jsx-import-source= tsconfig= log-level= analyze metafile=
      splitting entry-names= asset-names= chunk-names= public-path= global-name= keep-names
      charset= drop= legal-comments= packages= conditions= main-fields= resolve-extensions=
      pure= alias= outbase= preserve-symlinks allow-overwrite serve serve= servedir= banner=
      footer= inject= minify-identifiers minify-syntax minify-whitespace color
    `),
    attached:
      /^--(?:define|loader|external|alias|drop|pure|banner|footer|out-extension|log-override|supported|inject):/,
  },
  tsup: tool(`
    d= c= dts clean minify format= target= sourcemap watch entry= splitting treeshake external=
    noExternal= metafile shims outDir= out-dir= config= tsconfig= dts-only env.NODE_ENV=
    legacy-output keep-names publicDir=
  `),
  turbo: {
    ...tool(`
      F= filter= no-cache cache-dir= concurrency= continue graph graph= only parallel
      remote-only summarize output-logs= log-order= log-prefix= env-mode= ui= no-deps affected
      token= team= framework-inference scope= single-package remote-cache-timeout= cwd=
      experimental-space-id= dry dry= cache= profile= include-dependencies global-deps= docker
      out-dir= turbo-json=
    `),
    verbs: {
      ...Object.fromEntries(
        'run ls prune daemon info query watch --version bin'
          .trim()
          .split(/\s+/)
          .map((verb) => [verb, '']),
      ),
      '*': '',
    },
  },
  nx: {
    ...tool(`
      t= target= targets= p= projects= c= configuration= skip-nx-cache skipNxCache nxBail
      output-style= outputStyle= parallel= base= head= files= uncommitted untracked exclude=
      graph file= focus= web= view= with-deps codeCoverage testFile= watch runInBand
      skip-remote-cache plain type= affected dryRun d directory= dir= name= projects
    `),
    verbs: {
      ...Object.fromEntries(
        `
          run run-many affected graph show reset format:check format:write format print-affected
          list report lint test build serve e2e migrate generate g daemon view-logs repair sync
          sync:check
        `
          .trim()
          .split(/\s+/)
          .map((verb) => [verb, '']),
      ),
    },
  },
  lerna: verbs(
    'run list ls changed diff version clean bootstrap link info',
    `
      scope= since= stream no-bail include-dependencies include-dependents no-private
      exclude-dependents l a ndjson toposort graph p
    `,
  ),
  next: verbs(
    'dev build start lint info telemetry typegen --version',
    `
      p= H= d= dir= file= cache-location= inspect ext= experimental-https fix rulesdir-none
      debug-prerender
    `,
  ),
  nuxt: verbs(
    'dev build generate preview prepare typecheck analyze info cleanup test',
    'p= o host= port= dotenv=',
  ),
  astro: verbs('dev build preview check sync info', 'host= port= open config= root= site= base='),
  storybook: verbs(
    'dev build --version',
    `
      p= h= o= c= ci no-open quiet output-dir= port= host= smoke-test docs test
      disable-telemetry stats-json webpack-stats-json
    `,
  ),
  playwright: {
    ...tool(`
      g= x u c= j= n gv= G= pass-with-no-tests headed ui debug project= reporter= workers=
      grep-invert= trace= browser= timeout= list config= output= last-failed only-changed
      max-failures= repeat-each= shard= fully-parallel forbid-only ignore-snapshots tsconfig=
      quiet update-snapshots= fail-on-flaky-tests
    `),
    verbs: Object.fromEntries(
      'test show-report show-trace merge-reports --version'
        .trim()
        .split(/\s+/)
        .map((verb) => [verb, '']),
    ),
  },
  cypress: verbs(
    'run verify info version cache',
    `
      s= spec= b= browser= headed headless e2e component record parallel group= tag= C=
      config-file= config= env= e= q r= reporter= P= project= p= port= k= key=
    `,
  ),
  ng: verbs(
    'build serve test lint version e2e extract-i18n analytics config generate g',
    `
      c= configuration= prod watch browsers= code-coverage o port= host= project= output-path=
      base-href= aot source-map no-watch progress skip-tests standalone flat d dry-run
    `,
  ),
  biome: verbs(
    'check ci lint format search rage explain init migrate version start stop',
    `
      apply apply-unsafe write fix unsafe staged changed since= max-diagnostics=
      diagnostic-level= config-path= files-max-size= no-errors-on-unmatched reporter=
      error-on-warnings only= skip= stdin-file-path= verbose formatter-enabled= linter-enabled=
      organize-imports-enabled= assist-enabled= indent-style= indent-width= line-width=
      semicolons= quote-style= suppress reason= vcs-use-ignore-file= log-level= log-kind=
      json-formatter-enabled= enforce-assist=
    `,
  ),
  stylelint: tool(`
    f= o= config= allow-empty-input custom-syntax= ignore-disables report-needless-disables
    formatter= output-file= cache-location= quiet-deprecation-warnings aei mw=
  `),
  'markdownlint-cli2': tool('config= fix no-globs format'),
  markdownlint: tool('c= f i= o= p= q s config= disable= enable= dot'),
  knip: tool(`
    c= config= W= workspace= include= exclude= reporter= no-exit-code no-progress n production
    dependencies exports files strict fix fix-type= allow-remove-files tsConfig= t=
    use-tsconfig-files cache include-entry-exports no-config-hints tags= preprocessor= trace
    trace-export= performance memory treat-config-hints-as-errors directory= no-gitignore
    include-libs isolate-workspaces max-issues= format debug watch
  `),
  madge: tool(`
    c s b d= i= x= l j circular extensions= orphans leaves summary image= dot exclude=
    ts-config= webpack-config= warning no-spinner basedir= no-color include-npm
  `),
  husky: { options: 'h help v version', verbs: { init: '' } },
  changeset: verbs('add status version init pre', 'empty since= output= o= snapshot verbose open'),
  commitlint: tool('e edit= f= from= t= to= V x= extends= config= g= l last strict print-config='),
  'lint-staged': tool(`
    p= c= config= concurrent= allow-empty diff= diff-filter= relative r shell x no-stash d debug
    q v verbose cwd= max-arg-length= hide-partially-staged hide-unstaged fail-on-changes
  `),
  serve: tool('s l= p= listen= single no-clipboard c= config= n u L S'),
  'http-server': tool('p= a= c= d i g o cors s port='),
  tailwindcss: tool('i= o= w m input= output= minify watch optimize map cwd='),
  sass: tool(`
    I= s= load-path= no-source-map style= watch update embed-source-map quiet-deps
    silence-deprecation=
  `),
  'graphql-codegen': tool('c= w config= watch e s p='),
  expo: verbs(
    'start export prebuild doctor install-none lint customize-none config whoami',
    `
      c clear ios i android a web w port= host= tunnel lan localhost offline dev-client go
      max-workers= dump-sourcemap output-dir= platform= p= no-install clean type= json full
    `,
  ),
  'react-native': verbs(
    'start doctor info config bundle log-ios log-android',
    `
      reset-cache port= max-workers= platform= entry-file= bundle-output= dev= assets-dest=
      simulator= mode=
    `,
  ),
  ncu: tool(`
    t= f= x= e= p= deep target= filter= reject= errorLevel= peer dep= json jsonUpgraded minimal
    m packageFile= interactive i group format= workspaces ws root cooldown= c=
  `),
  'npm-check-updates': tool(
    't= f= x= e= target= filter= reject= errorLevel= peer dep= interactive i format=',
  ),
  'size-limit': tool('json why limit= save-bundle= clean-dir hide-passed'),
  attw: tool('pack P f= format= ignore-rules= profile= entrypoints= quiet from-npm p'),
  concurrently: tool(`
    n= k c= names= kill-others kill-others-on-fail success= raw prefix= p= prefix-colors= r
    restart-tries= m= g group l= s= timings passthrough-arguments P hide= i handle-input t=
    timestamp-format= pad-prefix teardown=
  `),
  'npm-run-all': tool(`
    s p l n c r sequential parallel print-label print-name continue-on-error race max-parallel=
    aggregate-output
  `),
  'run-s': tool('l n c s print-label continue-on-error'),
  'run-p': tool('l n c r s print-label continue-on-error race max-parallel='),
  'wait-on': tool(`
    t= d= i= s= l v w timeout= delay= interval= log tcpTimeout= httpTimeout= simultaneous=
    window= reverse r c=
  `),
  shellcheck: tool(`
    s= e= f= x a S= o= i= C shell= exclude= format= severity= external-sources check-sourced
    include= enable= norc list-optional W= P= source-path=
  `),
  shfmt: { options: 'w d l i= s bn ci sr kp fn ln= mn indent= f version h', singleDash: true },
  hadolint: tool(`
    c= f= t= config= ignore= format= failure-threshold= no-fail trusted-registry= strict-labels
  `),
  yamllint: tool('c= d= f= s config-file= config-data= format= strict no-warnings list-files'),
  actionlint: {
    options: `
      verbose color no-color format= ignore= shellcheck= pyflakes= oneline version config-file=
    `,
    singleDash: true,
  },
  tflint: tool(`
    f= c= init recursive chdir= minimum-failure-severity= filter= var-file= call-module-type=
    enable-rule= disable-rule= only=
  `),
  trivy: verbs(
    'image fs config repo sbom version',
    `
      s= f= o= severity= format= exit-code= ignore-unfixed scanners= skip-dirs= skip-files=
      no-progress timeout= vuln-type= pkg-types= ignorefile= skip-db-update output= q
    `,
  ),
  semgrep: tool(`
    json sarif config= c= metrics= lang= l= e= pattern= include= exclude= severity= error o=
    output= j= max-target-bytes= disable-version-check
  `),
  gitleaks: verbs(
    'detect protect git dir version stdin',
    `
      s= v c= r= f= source= no-git redact verbose staged no-banner report-path= report-format=
      baseline-path= log-opts= exit-code= l= config=
    `,
  ),
  typos: tool(`
    w write-changes diff format= files exclude= hidden config= c= type-list force-exclude words
    locale=
  `),
  codespell: tool(`
    w S= L= i= q= f d I= skip= ignore-words-list= check-filenames quiet-level= ignore-words=
    builtin= uri-ignore-words-list= count
  `),
  hugo: verbs(
    'server serve version env list config new',
    `
      D E F d= s= p= b= w minify gc buildDrafts buildFuture bind= baseURL= environment= e= port=
      disableFastRender navigateToChanged noHTTPCache renderToMemory destination= source= theme=
      t= ignoreCache logLevel= panicOnWarning printPathWarnings templateMetrics
      cleanDestinationDir
    `,
  ),
  mkdocs: verbs(
    'build serve new --version',
    `
      d= f= s c a= q v strict site-dir= config-file= clean dirty dev-addr= livereload theme= t=
      watch= w=
    `,
  ),
  mdbook: verbs('build serve test watch init clean', 'd= o p= n= open dest-dir= port= hostname='),
  'sphinx-build': {
    options: `
      b= M= a E d= j= c= C D= t= n v q Q w= W keep-going T N h help version jobs= builder=
      fail-on-warning nitpicky
    `,
  },
  pandoc: tool(`
    f= t= o= s r= w= N M= V= c= from= to= output= standalone toc table-of-contents toc-depth=
    number-sections metadata= variable= css= wrap= columns= template= reference-doc=
    highlight-style= syntax-highlighting= shift-heading-level-by= mathjax mathml katex
    self-contained embed-resources bibliography= citeproc C csl= list-input-formats
    list-output-formats extract-media= pdf-engine= resource-path= title-prefix= tab-stop=
    preserve-tabs ascii track-changes= metadata-file= gfm
  `),
  dot: { options: 'T= o= O K= G= N= E= V v q s= n L l= ?' },
  mmdc: tool(`
    i= o= t= w= H= b= s= f= theme= width= height= backgroundColor= scale= outputFormat= e=
    input= output= q
  `),
  d2: tool('t= w l= s theme= dark-theme= layout= sketch pad= scale= center watch'),
  svgo: tool(`
    i= o= f= r p= s= input= output= folder= recursive multipass precision= config= pretty
    disable= enable=
  `),
};
