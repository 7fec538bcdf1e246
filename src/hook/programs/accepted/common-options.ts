import type { AcceptedOptions } from './accepted-options.ts';

/** Long options of tools of developers that neither load nor run anything. */
const commonOptions = `
  help version verbose quiet silent debug color no-color colors ci fix fix-dry-run write check
  watch watchAll watch-all list list-files list-different dry-run strict force all recursive
  json pretty coverage cov bail fail-fast failfast parallel serial sequential run-in-band
  runInBand workers= max-workers= maxWorkers= jobs= concurrency= threads= shard= retries= retry=
  timeout= testTimeout= test-timeout= grep= testNamePattern= test-name-pattern= testPathPattern=
  testPathPatterns= filter= include= exclude= ignore= ignore-path= ignore-pattern= ext=
  max-warnings= cache no-cache update-snapshot update update-snapshots passWithNoTests
  pass-with-no-tests noEmit noEmitOnError skipLibCheck build clean incremental declaration
  emitDeclarationOnly sourceMap sourcemap minify mode= port= host= p= env= open headed headless
  ui project output= outDir= out-dir= outdir= outfile= out= output-file= outputFile= format=
  target= platform= bundle production prod dev log-level= logLevel= loglevel= level= severity=
  only= skip= since= base= head= from= to= affected release profile= features= config= cwd=
  name= seed= staged changed related findRelatedTests onlyChanged changedSince=
  detectOpenHandles forceExit logHeapUsage summary report stats show-files stdin stdin-filename=
  stdin-filepath= line-length= target-version= select= extend-select= diff traceback tb=
  no-header no-summary durations= maxfail= exitfirst lf last-failed ff failed-first nf
  collect-only co markers strict-markers cov-report= cov-fail-under= cov-branch cov-append
  reruns= numprocesses= dist= junitxml= junit-xml= html= log-cli-level= show-capture= capture=
  disable-warnings sw stepwise no-cov deselect= pyargs setup-show ignore-glob= import-mode=
  ignore-missing-imports show-error-codes install-types non-interactive no-error-summary
  follow-imports= python-version= namespace-packages explicit-package-bases warn-unused-ignores
  statistics count max-line-length= max-complexity= extend-ignore= per-file-ignores= show-source
  profile trace-config no-color-output info warn error print noColor types lib= jsx= module=
  moduleResolution= esModuleInterop allowJs checkJs resolveJsonModule isolatedModules
  strictNullChecks listFiles listFilesOnly traceResolution showConfig diagnostics
  extendedDiagnostics explainFiles pretty-print no-emit noImplicitAny removeComments
  inlineSourceMap declarationMap composite no-open strictPort clearScreen no-install
  hide-modules legal-comments= tree-shaking splitting packages= external= define= charset=
  line-limit= metafile analyze global-name= keep-names no-bail no-parallel no-fail nocolor
  no-watch no-run no-deps typecheck browser reporter= reporters= trace repeat-each=
  max-failures= last-failed-output exclude-task= rerun-tasks refresh-dependencies offline
  stacktrace continue daemon no-daemon build-cache configuration-cache console= warning-mode=
  tests= scan no-build-cache no-rebuild no-restore configuration= framework= runtime= logger=
  collect= blame no-logo nologo results-directory= self-contained verbosity= property= locked
  workspace check-only skip-string-normalization fast safe preview extend-exclude= unsafe-fixes
  output-format= exit-zero exit-non-zero-on-fix show-fixes add-noqa no-fix respect-gitignore
  quiet-level= skip-glob= atomic float-to-top line-numbers single-quote no-semi semi tab-width=
  print-width= trailing-comma= parser= end-of-line= prose-wrap= ignore-unknown log-level
  use-tabs arrow-parens= bracket-spacing no-error-on-unmatched-pattern cache-strategy=
  cache-location= error-on-warnings only-changed vcs-enabled diagnostic-level= max-diagnostics=
  apply unsafe no-inline-config report-unused-disable-directives no-eslintrc no-config-lookup
  rule= no-warn-ignored max-old-space-size= exit delay= check-leaks allow-uncaught inline-diffs
  full-trace sort dependencies devDependencies files exports unlisted binaries unresolved
  duplicates circular extensions= warning image= include-npm depth= no-spinner orphans leaves
  dir= root= run globals environment= isolate pool= poolOptions.threads.singleThread
  no-file-parallelism hideSkippedTests slowTestThreshold= mergeReports sequence.shuffle inspect
  inspect-brk browser.headless coverage.enabled coverage.reporter= coverage.include=
  coverage.exclude= coverage.all coverage.provider= coverage.thresholds.lines=
  coverageReporters= collectCoverageFrom= coverageProvider= coverageDirectory=
  coverage-directory= selectProjects= testMatch= useStderr notify expand turbo no-turbo
  turbopack no-lint experimental-app-only experimental-debug hostname= keepAliveTimeout=
  no-default-features all-features edition= emit= style= config-path= backup no-open-browser
  baseURL= minify-whitespace loader= servedir= tsconfig= entry-names= external-source-map
  watch-delay= serve
`;

export const tool = (options = ''): AcceptedOptions => ({
  options: `${commonOptions} h v V q ${options}`,
});
export const verbs = (list: string, options = ''): AcceptedOptions => ({
  ...tool(options),
  verbs: Object.fromEntries(
    list
      .trim()
      .split(/\s+/)
      .map((verb) => [verb, '']),
  ),
});
