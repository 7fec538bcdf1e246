import type { AcceptedOptions } from './accepted-options.ts';

/** Settings such as `--registry` are judged by the description; those that run programs as well. */
const node: AcceptedOptions = {
  options: `
    prefix= C= w= workspace= workspaces ws filter= F= registry= cwd= dir= cache= loglevel= tag=
    otp= p= package= c= call= omit= include= before= depth= access= audit-level= message= m=
    preid= script= silent s q quiet d dd verbose json long l parseable g global save S D
    save-dev O save-optional save-peer P save-prod E save-exact B save-bundle no-save dev
    production prod only= ignore-scripts dry-run force f legacy-peer-deps strict-peer-deps
    prefer-offline prefer-online offline package-lock package-lock-only frozen-lockfile
    immutable frozen lockfile-only audit fund progress color update-notifier yes y no n
    no-install if-present foreground-scripts engine-strict engines recursive r stream parallel
    sort reporter= aggregate-output all a help h version v include-workspace-root fix-lockfile
    fetch-retries= fetch-timeout= timing expect-result-count= no-git-tag-version git-tag-version
    allow-same-version commit-hooks i interactive latest L top-level optional peer
    ignore-engines non-interactive network-timeout= mutex= no-lockfile pure-lockfile check-files
    link-workspace-packages fail-if-no-match workspace-concurrency= resume-from= no-bail bail
    test-pattern= changed-files-ignore-pattern= shamefully-hoist ignore-workspace strict
    ignore-workspace-root-check W T tilde exact dev-only compact prefer-dedupe install-links
    sbom-format= t topological topological-dev inspect jobs= j= since= x= caret cached
    script-shell= node-options= shell= userconfig= globalconfig= git= init-module= editor=
    viewer= modules-folder= virtual-store-dir= store-dir= lockfile-dir= shell-mode c unsafe-perm
    scripts-prepend-node-path mode= inline-builds check-cache
  `,
};

/** Options behind the name of a script belong to the script. */
const scripted: AcceptedOptions = {
  ...node,
  verbs: {
    ...Object.fromEntries(
      `
        install i add ci update up upgrade remove rm uninstall un list ls ll why outdated audit
        info view publish pack init create dedupe prune rebuild config get set version cache
        store link unlink workspace import fetch licenses patch patch-commit env bin root setup
        help deploy global constraints plugin policies login logout whoami
      `
        .trim()
        .split(/\s+/)
        .map((verb) => [verb, '']),
    ),
    'workspaces info': '',
    'workspaces list': '',
    'workspaces foreach': `
      A all R recursive W p parallel t i interlaced include= exclude= from= no-private v since
    `,
    run: '',
    '*': '',
  },
  inner: {
    run: 1,
    test: 0,
    start: 0,
    exec: 0,
    dlx: 0,
    workspace: 1,
    'workspaces foreach': 1,
    '*': 0,
  },
};

const pip: AcceptedOptions = {
  options: `
    r= requirement= c= constraint= e= editable= i= index-url= extra-index-url= f= find-links= t=
    target= d= dest= prefix= root= only-binary= no-binary= python= p= group= extra= extras log=
    proxy= format= platform= o= output-file= q quiet v verbose U upgrade upgrade-strategy= user
    no-deps pre no-cache-dir no-input disable-pip-version-check dry-run force-reinstall
    ignore-installed I no-build-isolation require-hashes use-pep517 no-warn-script-location
    break-system-packages y yes local l outdated uptodate not-required all exclude= path= files
    h help V version progress-bar= timeout= retries= system no-color cache-dir=
    require-virtualenv isolated no-compile compile report= universal annotate generate-hashes
    resolver= strip-extras upgrade-package= P= no-header emit-index-url python-version=
    all-extras editable no-sync
  `,
  verbs: {
    install: '',
    uninstall: '',
    list: '',
    show: '',
    freeze: '',
    check: '',
    download: '',
    wheel: '',
    config: '',
    index: '',
    inspect: '',
    hash: '',
    cache: '',
    debug: '',
    help: '',
    sync: '',
    compile: '',
    tree: '',
  },
};

const cargoBuild = `
  p= package= workspace all exclude= lib bin= bins example= examples test= tests bench= benches
  all-targets F= features= all-features no-default-features r release profile= j= jobs=
  keep-going target= target-dir= message-format= manifest-path= ignore-rust-version locked
  offline frozen v verbose vv q quiet color= timings no-run no-fail-fast doc fix allow-dirty
  allow-staged allow-no-vcs no-deps open edition edition-idioms broken-code h help
  lockfile-path= future-incompat-report document-private-items
`;

const cargo: AcceptedOptions = {
  options: 'v verbose q quiet V version list color= locked offline frozen h help explain=',
  verbs: {
    ...Object.fromEntries(
      `
        build b check c test t run r bench doc d clippy fix rustc-none
      `
        .trim()
        .split(/\s+/)
        .map((verb) => [verb, cargoBuild]),
    ),
    fmt: `${cargoBuild} check`,
    nextest: `${cargoBuild} E= partition= retries= status-level= final-status-level= success-output= failure-output= no-capture nocapture test-threads= run-ignored= P= fail-fast`,
    tarpaulin: `${cargoBuild} o= out= output-dir= skip-clean exclude-files= ignore-tests engine= timeout= line`,
    'llvm-cov': `${cargoBuild} html lcov json summary-only output-path= output-dir= ignore-filename-regex=`,
    audit: 'ignore= q quiet json deny= D= file= f=',
    deny: 'hide-inclusion-graph',
    udeps: cargoBuild,
    machete: '',
    outdated: 'R root-deps-only w workspace d= depth= exit-code=',
    expand: cargoBuild,
    watch: 'x= exec= q c w= why',
    tree: `
      p= package= i= invert= d duplicates e= edges= depth= prefix= target= workspace features=
      F= all-features no-default-features no-dedupe format= f= prune= charset=
    `,
    metadata: `
      format-version= no-deps filter-platform= features= F= all-features no-default-features
      manifest-path=
    `,
    clean: `
      p= package= release doc profile= target= target-dir= manifest-path= n dry-run workspace
    `,
    update: 'p= package= precise= dry-run n w workspace aggressive recursive manifest-path=',
    'generate-lockfile': 'manifest-path=',
    fetch: 'target= manifest-path=',
    vendor: 'versioned-dirs',
    'locate-project': 'workspace message-format=',
    pkgid: 'p= package=',
    search: 'limit=',
    info: '',
    version: 'verbose v',
    help: '',
    new: 'bin lib name= vcs= edition= q quiet registry=',
    init: 'bin lib name= vcs= edition= q quiet registry=',
    remove: 'dev build target= p= package= dry-run n',
    rm: 'dev build target= p= package= dry-run n',
    ...Object.fromEntries(
      'install add publish yank owner login logout package uninstall'
        .trim()
        .split(/\s+/)
        .map((verb) => [verb, '*']),
    ),
  },
};

const goBuild = `
  o= C= run= bench= tags= count= timeout= coverprofile= ldflags= gcflags= mod= p= cpuprofile=
  memprofile= outputdir= benchtime= covermode= coverpkg= skip= parallel= v x n a race msan asan
  work cover short failfast json benchmem trimpath buildvcs buildvcs= shuffle= list= i vet= cpu=
  c asmflags= pgo= e f= m u test deps compiled export find reuse= json= retracted versions t d
  fix go= compat= require= droprequire= replace= dropreplace= exclude= print diff modcacherw
  mutexprofile= blockprofile= trace= fullpath artifacts exec= toolexec= overlay= vettool=
  modfile= cache testcache modcache w h help
`;

const go: AcceptedOptions = {
  options: '',
  singleDash: true,
  verbs: {
    ...Object.fromEntries(
      `
        build run test vet fmt mod work list install get env version doc help clean generate fix
        telemetry bug
      `
        .trim()
        .split(/\s+/)
        .map((verb) => [verb, goBuild]),
    ),
    tool: 'n',
    'tool cover': 'func= html= o= mode=',
    'tool pprof': 'top text list= peek= cum flat nodecount= sample_index= lines',
    'tool dist': '',
    'tool nm': 'size sort= type',
    'tool objdump': 's=',
  },
  inner: { run: 1 },
};

const verbsOnly = (verbs: string, options = ''): AcceptedOptions => ({
  options: `h help V version v verbose vv vvv q quiet n no-interaction no-ansi ansi ${options}`,
  verbs: Object.fromEntries(
    verbs
      .trim()
      .split(/\s+/)
      .map((verb) => [verb, '']),
  ),
});

/** Package managers: a command that is not listed could be a plugin. */
export const packageOptions: Readonly<Record<string, AcceptedOptions>> = {
  npm: node,
  pnpm: scripted,
  yarn: scripted,
  'bun-packages': node,
  npx: { ...node, stopsAtOperand: true },
  pnpx: { ...node, stopsAtOperand: true },
  bunx: { ...node, stopsAtOperand: true },
  pip,
  pip3: pip,
  cargo,
  go,
  poetry: {
    options: `
      C= directory= G= group= E= extras= h help V version v q n no-ansi ansi no-interaction
      with= without= only= no-root sync all-extras dry-run dev D no-dev T tree o outdated l
      latest top-level a all f= format= no-update regenerate no-cache compile without-hashes
      output= editable e optional allow-prereleases lock strict no-directory only-root
      all-groups
    `,
    verbs: {
      ...Object.fromEntries(
        `
          add install update lock sync publish build check show env export remove version about
          list search shell
        `
          .trim()
          .split(/\s+/)
          .map((verb) => [verb, '']),
      ),
      run: '*',
    },
  },
  pdm: verbsOnly(
    'add install update sync lock publish build list show info remove outdated',
    'dev d G= group= no-lock no-self prod check frozen-lockfile',
  ),
  pipenv: verbsOnly(
    'install sync update lock graph check uninstall verify requirements',
    'dev d deploy system categories= ignore-pipfile',
  ),
  composer: verbsOnly(
    `
      require create-project global install update run run-script test dump-autoload show
      outdated validate audit why why-not check-platform-reqs licenses status depends prohibits
      remove exec dumpautoload diagnose about list
    `,
    `
      dev no-dev no-scripts prefer-dist prefer-stable optimize-autoloader o optimize a
      classmap-authoritative direct D tree t latest l format= f= all strict no-check-publish
      with-all-dependencies W w with-dependencies dry-run no-progress no-plugins
      ignore-platform-reqs ignore-platform-req= timeout= lock minor-only m
    `,
  ),
  bundle: {
    options: `
      gemfile= path= jobs= j= retry= without= with= h help version v verbose quiet deployment
      frozen local full-index clean group= g= source= conservative patch minor major strict all
      parseable dry-run
    `,
    verbs: {
      ...Object.fromEntries(
        `
          install update add check list show info outdated lock platform help version doctor
          audit remove viz cache clean
        `
          .trim()
          .split(/\s+/)
          .map((verb) => [verb, '']),
      ),
      exec: '*',
    },
  },
  gem: verbsOnly(
    `
      list search info which environment env outdated query help contents dependency
      specification install update push yank owner build
    `,
    'local l remote r all a exact e d details versions prerelease',
  ),
  uv: {
    options: `
      q quiet v verbose h help V version no-cache n offline color= no-progress p= python=
      directory= project= config-file= frozen locked all-extras extra= group= dev no-dev
      all-groups only-group= no-group= no-sync upgrade U upgrade-package= P= dry-run system
      with= with-requirements= with-editable= isolated no-project active seed clear prompt= m=
      module= s script env-file= package= all-packages no-default-groups exact optional=
      editable workspace bounds= tag= branch= rev= no-install-project check depth= invert
      outdated wheel sdist o= out-dir= resolution= prerelease= short bump= format=
      output-format= output-file= no-hashes
    `,
    verbs: {
      run: '*',
      pip: '*',
      tool: '*',
      ...Object.fromEntries(
        'venv add remove sync lock build publish tree export version init help'
          .trim()
          .split(/\s+/)
          .map((verb) => [verb, '']),
      ),
      'python list': '',
      'python find': '',
      'python pin': '',
      'cache dir': '',
    },
  },
  rustup: verbsOnly(`
    show which doc help run install component target toolchain update self default override
    check man completions
  `),
  rake: {
    options: `
      T tasks P prereqs n dry-run t trace v verbose q quiet s silent j= jobs= m multitask A all
      D describe W where h help version V
    `,
  },
  ...Object.fromEntries(
    ['apt', 'apt-get', 'apt-cache', 'dpkg', 'rpm', 'brew'].map((name) => [
      name,
      {
        options: `
          y yes q qq quiet s n= i l L S Q a installed upgradable version help h list search
          status prefix cellar cask formula json json= v verbose qa ql qi qf f g
          no-install-recommends reinstall update upgrade remove purge versions full-name
          build-from-source greedy outdated r p c e U names-only simulate dry-run assume-yes
          fix-broken
        `,
      } satisfies AcceptedOptions,
    ]),
  ),
};
