import type { AcceptedOptions } from './accepted-options.ts';
import { tool, verbs } from './common-options.ts';

/** Compilers: `-D`, `-I`, `-l` and `-W` are followed by their value in the same word. */
const compiler: AcceptedOptions = {
  options: `
    o= c S E g ggdb g3 g0 O O0 O1 O2 O3 Os Og Ofast Wall Wextra Werror Wpedantic pedantic
    pedantic-errors std= ansi v version help x= I= L= l= D= U= include= isystem= iquote= MD MMD
    MP MF= MT= MQ= M MM fPIC fpic fPIE pie shared static pthread m32 m64 march= mtune= msse4.2
    mavx2 w pipe nostdlib fsyntax-only fsanitize= fno-omit-frame-pointer fno-exceptions fno-rtti
    fopenmp flto fvisibility= fno-common fstack-protector-strong fcoverage-mapping
    fprofile-instr-generate fprofile-arcs ftest-coverage fdiagnostics-color fdiagnostics-color=
    fno-sanitize-recover fstrict-aliasing fno-strict-aliasing fwrapv ftrapv funroll-loops
    ffast-math fno-inline fno-builtin ffreestanding fmax-errors= dumpversion dumpmachine
    print-search-dirs print-file-name= stdlib= target= arch= dynamiclib rdynamic s dM P
    Wno-unused Wno-unused-parameter Wno-unused-variable Wno-unused-function Wshadow Wconversion
    Wsign-conversion Wformat Wformat=2 Wundef Wcast-align Wnull-dereference
    Wno-deprecated-declarations Wno-format Wno-sign-compare Wno-missing-field-initializers
    Weverything Wimplicit-fallthrough Wstrict-prototypes Wmissing-prototypes Wunused coverage
  `,
  attached:
    /^-(?:[IDULlOg].*|W(?![alp],)[\w=+-]*|Wl,(?:-rpath|--as-needed|--gc-sections|-z,\w+|-O\d|--no-undefined)[\w,=./$-]*|f(?!plugin|dump|use-ld|save|ld)[\w=-]*|m[\w=.-]+|std=.*)$/,
  singleDash: true,
};

const gradle: AcceptedOptions = tool(
  'q i d s t= x= a P= D= m b= S tests= info stacktrace full-stacktrace status stop',
);

/** Tools of languages other than JavaScript and Python. */
export const compiledOptions: Readonly<Record<string, AcceptedOptions>> = {
  // Rust and Go
  rustc: tool(`
    o= O g edition= crate-type= crate-name= emit= A= W= D= F= L= cfg= test explain= print=
    out-dir=
  `),
  rustfmt: tool(`
    l edition= emit= check config-path= config= backup files-with-diff skip-children
    style-edition=
  `),
  gofmt: { options: 'l w d s e r= cpuprofile=', singleDash: true },
  goimports: { options: 'l w d e v local= srcdir= format-only', singleDash: true },
  'golangci-lint': verbs(
    'run fmt linters cache config version help migrate formatters',
    `
      E= D= enable= disable= enable-all disable-all enable-only= default= presets= p= j=
      timeout= tests build-tags= c= config= no-config fast fast-only fix new new-from-rev=
      new-from-merge-base= out-format= issues-exit-code= skip-dirs= skip-files= exclude=
      max-issues-per-linter= max-same-issues= allow-parallel-runners print-issued-lines
      path-prefix= show-stats concurrency= d whole-files uniq-by-line modules-download-mode=
    `,
  ),
  staticcheck: {
    options: 'checks= f= tests go= explain= tags= fail= show-ignored debug.version version',
    singleDash: true,
  },
  govulncheck: {
    options: 'C= json mode= scan= show= tags= test version format=',
    singleDash: true,
  },
  gotestsum: tool(`
    f= format= junitfile= rerun-fails packages= hide-summary= no-summary= jsonfile= watch
    format-icons= format-hide-empty-pkg rerun-fails-max-failures=
  `),
  ginkgo: verbs(
    'run version outline labels build watch help',
    `
      r p v vv focus= skip= label-filter= race cover keep-going nodes= procs= trace fail-fast
      focus-file= randomize-all until-it-fails flake-attempts= timeout= tags= coverprofile=
    `,
  ),
  buf: verbs(
    'lint build generate format breaking ls-files dep mod config help version',
    `
      w d path= exclude-path= against= error-format= config= template= o= output=
      as-file-descriptor-set include-imports exit-code
    `,
  ),
  mockgen: {
    options: `
      source= destination= package= mock_names= self_package= copyright_file=
      write_package_comment= typed imports= aux_files= version build_flags-none
    `,
    singleDash: true,
  },
  sqlc: verbs('generate vet diff compile version init verify', 'f= file= no-remote'),
  protoc: {
    options: `
      I= proto_path= go_out= go_opt= go-grpc_out= go-grpc_opt= python_out= grpc_python_out=
      js_out= ts_out= cpp_out= java_out= csharp_out= ruby_out= php_out= descriptor_set_out= o=
      include_imports include_source_info version help experimental_allow_proto3_optional
      error_format=
    `,
  },
  // C and C++
  ...Object.fromEntries(
    'gcc g++ cc c++ clang clang++'
      .trim()
      .split(/\s+/)
      .map((name) => [name, compiler]),
  ),
  'clang-format': {
    options: `
      i n style= Werror dry-run assume-filename= fallback-style= dump-config version help lines=
      sort-includes ferror-limit= verbose files=
    `,
    singleDash: true,
  },
  'clang-tidy': {
    options: `
      p= checks= fix fix-errors header-filter= warnings-as-errors= quiet format-style=
      list-checks dump-config extra-arg= version help use-color system-headers
    `,
    singleDash: true,
  },
  cmake: {
    options: `
      S= B= G= A= T= D= U= L LA LAH N E= P= C= build install version help preset= list-presets
      fresh trace Wdev Wno-dev j j= parallel parallel= config= target= t= clean-first use-stderr
      v verbose prefix= component= strip open log-level= workflow debug-output
      warn-uninitialized graphviz=
    `,
  },
  ctest: {
    options: `
      V VV N R= E= L= LE= I= j= parallel= output-on-failure rerun-failed repeat= timeout=
      stop-on-failure verbose quiet Q C= build-config= test-dir= show-only progress no-tests=
      preset= list-presets schedule-random output-junit= output-log= O= F print-labels U version
      help tests-regex= exclude-regex= label-regex= label-exclude= extra-verbose
    `,
  },
  ninja: { options: 'C= j= k= l= n v d= t= w= quiet version help h' },
  meson: verbs(
    'setup compile test configure introspect install-none dist help',
    `
      C= j= v verbose buildtype= reconfigure wipe prefix= print-errorlogs suite= list repeat=
      num-processes= D= timeout-multiplier= targets benchmarks buildoptions
    `,
  ),
  bazel: verbs(
    'build test query cquery aquery info version help coverage fetch mod',
    `
      c= config= k keep_going jobs= test_output= test_filter= test_arg= test_tag_filters=
      build_tag_filters= cache_test_results= nocache_test_results runs_per_test=
      verbose_failures output= noshow_progress compilation_mode= define= copt= cxxopt= features=
      show_result= curses= color= s subcommands sandbox_debug test_timeout= platforms=
      build_tests_only flaky_test_attempts= order_output= noimplicit_deps notool_deps
      test_size_filters= local_test_jobs= combined_report= instrumentation_filter= t
    `,
  ),
  make: {
    options: `
      j= jobs k keep-going n just-print dry-run s silent quiet B always-make C= directory= f=
      file= makefile= i ignore-errors w W= what-if= print-directory no-print-directory r R d
      debug p q question l= load-average= o= old-file= t touch e v version h help O output-sync
      S trace warn-undefined-variables eval= E=
    `,
  },
  just: {
    options: `
      l list n dry-run q quiet v verbose s= show= f= justfile= d= working-directory= g summary
      evaluate fmt check dump variables groups u unsorted yes unstable set= help h version V
    `,
  },
  task: tool(`
    l a p s f d= t= n dir= list-all parallel status summary taskfile= force exit-code w
    interval= C= o= y yes g=
  `),
  doxygen: tool('g s u'),
  valgrind: {
    options: `
      leak-check= show-leak-kinds= track-origins= v q error-exitcode= tool= suppressions=
      num-callers= track-fds= s gen-suppressions= trace-children= main-stacksize= help version
    `,
    stopsAtOperand: true,
  },
  'pkg-config': tool(`
    cflags libs exists modversion list-all print-errors variable= static cflags-only-I
    libs-only-l atleast-version=
  `),
  // Other languages
  gradle,
  gradlew: gradle,
  mvn: {
    options: `
      q B X e o U N D= P= pl= am amd T= fae ff fn rf= l= ntp no-transfer-progress batch-mode
      quiet offline update-snapshots fail-at-end fail-fast fail-never projects= also-make
      also-make-dependents resume-from= threads= non-recursive errors debug version v help h V
      activate-profiles= define= strict-checksums C c show-version color= itr nsu f= file= s=
      settings= gs= global-settings=
    `,
    attached: /^-(?:D|P|T|pl|rf)/,
    singleDash: true,
  },
  javac: {
    options: `
      d= cp= classpath= class-path= sourcepath= source= target= release= encoding= g g:none
      verbose nowarn Werror Xlint Xlint:all Xlint:unchecked Xlint:deprecation parameters
      deprecation h= version help s= proc:none implicit:none p= module-path= m= module=
      module-source-path= enable-preview
    `,
    singleDash: true,
  },
  jar: {
    options: `
      t f c x u v m e 0 M i n cf= xf= tf= cvf= xvf= tvf= list create extract update file=
      verbose manifest= main-class= version help C= describe-module d
    `,
  },
  dotnet: verbs(
    `
      build test run restore clean format watch list publish sln pack --version --info
      --list-sdks --list-runtimes help workload
    `,
    `
      c= f= o= r= v= t l n= s= p= m locked-mode filter no-build no-restore configuration framework os= arch=
      settings= diag= test-adapter-path= include= severity= verify-no-changes exclude= report=
      outdated vulnerable deprecated include-transitive interactive launch-profile=
      no-launch-profile project= sc tl nodereuse urls= environment= in-root
    `,
  ),
  flutter: verbs(
    `
      build test run analyze doctor clean devices format gen-l10n --version emulators drive logs
    `,
    `
      d= t= r release debug profile flavor= dart-define= name= plain-name= tags=
      split-debug-info= obfuscate no-pub coverage update-goldens verbose machine
      dart-define-from-file= split-per-abi build-name= build-number= target-platform=
      web-renderer= no-fatal-infos fatal-infos fatal-warnings
    `,
  ),
  dart: verbs(
    'analyze format fix test compile doc info --version run',
    `
      o= set-exit-if-changed l= line-length= apply n= t= p= j= r= name= tags= fatal-infos
      fatal-warnings delete-conflicting-outputs coverage= platform= enable-asserts
    `,
  ),
  swift: verbs(
    'build test package run --version',
    `
      c= configuration= filter= skip= parallel v enable-code-coverage disable-sandbox-none
      product= target= j= show-bin-path list-tests static-swift-stdlib build-tests xunit-output=
    `,
  ),
  xcodebuild: {
    options: `
      project= workspace= scheme= configuration= sdk= destination= list showBuildSettings quiet
      json version showsdks only-testing= skip-testing= enableCodeCoverage=
      parallel-testing-enabled= resultBundlePath= derivedDataPath= arch= target= alltargets
      allowProvisioningUpdates showdestinations dry-run n test-iterations=
      retry-tests-on-failure
    `,
    attached: /^-(?:only|skip)-testing:/,
    singleDash: true,
  },
  swiftlint: verbs(
    'lint fix rules analyze version --version --fix autocorrect',
    'strict quiet config= reporter= format no-cache path=',
  ),
  mix: verbs(
    `
      test compile format deps deps.get deps.tree deps.compile credo dialyzer ecto.migrate
      ecto.create ecto.gen.migration ecto.migrations ecto.setup phx.server phx.routes
      phx.gen.schema phx.gen.context phx.digest help clean xref docs app.tree app.start sobelow
      coveralls coveralls.html hex.outdated hex.audit gettext.extract assets.build assets.deploy
      assets.setup loadpaths profile.eprof phx.gen.live phx.gen.html phx.gen.json setup
    `,
    `
      check-formatted check-locked warnings-as-errors force only= exclude= include= trace stale failed
      max-failures= seed= cover slowest= strict all check-unused all-warnings no-start
      no-compile step= n= to= only-slowest= partitions= raise r= umbrella-only format=
      log-migrations-sql prefix= quiet dry-run no-deps-check
    `,
  ),
  cabal: verbs(
    `
      build test run-none bench check clean configure freeze list info haddock repl-none update
      outdated gen-bounds format sdist v2-build v2-test new-build new-test
    `,
    `
      j j= enable-tests enable-benchmarks test-show-details= O0 O1 O2 f= ghc-options-none w-none
    `,
  ),
  stack: verbs(
    'build test bench clean haddock ls path setup ghci-none dot list query',
    `
      fast pedantic file-watch no-run-tests test bench flag= ta= test-arguments= j= haddock
      coverage ghc-options-none no-haddock-deps resolver= skip=
    `,
  ),
  zig: verbs(
    `
      build test fmt version env targets ast-check translate-c build-exe build-lib build-obj
    `,
    'O= target= D= summary= release release= step= j= fuzz check ast-check femit-bin= lc',
  ),
  forge: verbs(
    `
      build test fmt snapshot coverage clean inspect tree config remappings lint doc geiger
      flatten selectors bind
    `,
    `
      vv vvv vvvv vvvvv match-test= match-contract= match-path= mt mc mp gas-report sizes
      fuzz-runs= check no-match-test= no-match-contract= no-match-path= watch w json j
      fork-block-number= ir-minimum via-ir optimize report= diff= decode-internal show-progress
      fuzz-seed= isolate debug-none
    `,
  ),
  hardhat: verbs(
    'compile test clean check coverage size-contracts typechain help flatten',
    'grep= parallel bail network= no-compile show-stack-traces force',
  ),
  sbt: {
    options: 'h help v version no-colors batch client color= error warn info debug mem=',
    attached: /^-D[\w.]+=[\w.]+$/,
  },
  k6: verbs(
    'run inspect version',
    `
      u= d= s= i= e= o= q vus= duration= stage= iterations= env= summary-trend-stats=
      summary-export= tag= no-color quiet http-debug= no-usage-report rps= out= log-output=
      summary-mode=
    `,
  ),
  asdf: verbs('list current which where latest reshim info version plugin-list list-all --version'),
  mise: verbs(`
    ls list current which where version doctor env-none tasks outdated ls-remote --version
    bin-paths trust-none
  `),
  nvm: verbs('use ls list current version which ls-remote alias --version', 'silent lts'),
  fnm: verbs(
    'use list ls current list-remote ls-remote env --version',
    'use-on-cd shell= silent-if-unchanged log-level= install-if-missing-none',
  ),
  volta: verbs('list ls which --version'),
  rbenv: verbs('versions version local which rehash root init --version shims whence'),
  pyenv: verbs('versions version local which rehash root init --version shims whence'),
  sdk: verbs('list current use version help'),
  direnv: verbs('status version export hook'),
};
