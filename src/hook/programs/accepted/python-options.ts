import type { AcceptedOptions } from './accepted-options.ts';
import { tool, verbs } from './common-options.ts';

/** Tools of Python. */
export const pythonOptions: Readonly<Record<string, AcceptedOptions>> = {
  pytest: tool(`
    x v vv vvv q qq s k= m= n= l r= ra rA rs rf rfE rx rxs p= c= o= W= rootdir= confcutdir=
    basetemp= pdb pdbcls= cov= cov-config= log-level= log-file= log-cli-level= no-cov-on-fail
    asyncio-mode= benchmark-only benchmark-disable benchmark-skip benchmark-autosave timeout=
    timeout-method= reruns-delay= ds= create-db reuse-db nomigrations no-migrations
    snapshot-update hypothesis-seed= hypothesis-show-statistics hypothesis-profile=
    randomly-seed= lfnf= cache-clear cache-show fixtures fixtures-per-test keep-duplicates
    noconftest runxfail showlocals no-showlocals code-highlight= show-capture= full-trace forked
    looponfail d tx= maxprocesses= mypy flake8 ruff doctest-modules doctest-glob=
    self-contained-html alluredir= count= headed browser= slowmo= tracing= video= screenshot=
    runslow run-slow integration slow e2e verbosity= strict-config a=
  `),
  black: tool(`
    l= t= S C x v q config= include= exclude= extend-exclude= force-exclude= line-ranges=
    skip-magic-trailing-comma workers= W= pyi ipynb stdin-filename=
  `),
  ruff: verbs(
    'check format rule config linter clean version server help analyze',
    `
      n w e isolated config= preview no-preview ignore= fixable= unfixable= extend-fixable=
      watch show-settings show-files explain unsafe-fixes ignore-noqa per-file-ignores= range=
      line-length= add-noqa statistics exit-zero
    `,
  ),
  isort: tool(`
    c l= m= w= rc y e p= o= d profile= multi-line= trailing-comma force-single-line check-only
    filter-files skip= s= gitignore settings-path= sp= sg= skip-gitignore
    force-sort-within-sections
  `),
  flake8: tool(`
    j= select= ignore= config= append-config= isolated format= benchmark bug-report
    enable-extensions= hang-closing disable-noqa doctests show-pep8 indent-size=
  `),
  mypy: tool(`
    p= m= c= package= exclude= config-file= strict-optional no-strict-optional show-traceback
    html-report= txt-report= any-exprs-report= cobertura-xml-report= junit-xml=
    python-executable= cache-dir= custom-typeshed-dir= disallow-untyped-defs
    disallow-any-generics check-untyped-defs no-implicit-optional warn-return-any
    warn-redundant-casts warn-unreachable warn-unused-configs disable-error-code=
    enable-error-code= no-incremental sqlite-cache pretty show-column-numbers show-error-context
    show-error-end hide-error-codes allow-untyped-defs allow-redefinition implicit-reexport
    strict-equality extra-checks
  `),
  pylint: tool(`
    d= e= E j= r= f= s= disable= enable= errors-only rcfile= output-format= score= reports=
    msg-template= generate-toml-config list-msgs fail-under= fail-on= jobs= max-line-length=
    ignore= ignore-patterns= ignore-paths= recursive= persistent= load-plugins= init-hook=
    good-names= generated-members= extension-pkg-allow-list= extension-pkg-whitelist=
  `),
  pyright: tool(`
    p= project= pythonversion= pythonplatform= outputjson stats level= skipunannotated warnings
    threads verifytypes= createstub= dependencies
  `),
  coverage: {
    ...tool(`
      m i d= a append p= parallel-mode branch source= omit= include= rcfile= show-missing
      skip-covered skip-empty fail-under= o= data-file= sort= precision= title= timid
      concurrency= context= ignore-errors keep pretty-print contexts= module
    `),
    verbs: Object.fromEntries(
      'run report html xml json lcov combine erase annotate debug help'
        .trim()
        .split(/\s+/)
        .map((verb) => [verb, '']),
    ),
    inner: { run: 1 },
  },
  tox: tool(`
    e= r l p= f= c= workdir= recreate parallel= develop skip-missing-interpreters notest
    listenvs listenvs-all sitepackages run-parallel installpkg= skip-pkg-install a devenv
    result-json= conf= no-recreate-pkg
  `),
  nox: tool(`
    s= l r R k= t= e= p= f= session= sessions= list reuse-existing-virtualenvs no-install
    python= keywords= tags= noxfile= stop-on-first-error error-on-external-run x fc force-color
    force-python= P= extra-python=
  `),
  'pre-commit': verbs(
    `
      run autoupdate validate-config validate-manifest sample-config migrate-config clean gc
      help
    `,
    `
      a all-files files= hook-stage= show-diff-on-failure s= o= from-ref= to-ref= c= config=
    `,
  ),
  bandit: tool(`
    r ll lll i ii iii f= o= x= s= t= c= n= a= b= configfile= exclude= skip= tests= format= ini=
    severity-level= confidence-level=
  `),
  uvicorn: tool(`
    host= port= reload reload-dir= workers= log-level= app-dir= factory proxy-headers root-path=
    http= ws= loop= access-log no-access-log timeout-keep-alive= env-file= use-colors lifespan=
    header=
  `),
  gunicorn: tool(`
    b= w= k= t= c= bind= workers= worker-class= timeout= reload log-level= access-logfile=
    error-logfile= preload threads= graceful-timeout= keep-alive= max-requests= name= chdir=
    daemon D check-config print-config config=
  `),
  flask: verbs(
    'run routes --version',
    `
      p= port= host= h= reload debug no-reload app= A= debugger no-debugger cert= sort=
      all-methods with-threads
    `,
  ),
  alembic: tool(`
    m= message= autogenerate c= n= x= sql rev-id= branch-label= head= splice depends-on= verbose
    indicate-current r= rev-range= raiseerr purge tag=
  `),
  'http.server': tool('directory= bind= b= d='),
  build: tool('wheel sdist outdir= o= w s n no-isolation'),
  jupyter: verbs('--version', 'no-browser port= ip='),
};
