import type { AcceptedOptions } from './accepted-options.ts';
import { tool, verbs } from './common-options.ts';

/** Tools of frameworks and rarer build systems: commands that neither publish nor load code. */
export const frameworkOptions: Readonly<Record<string, AcceptedOptions>> = {
  /** Every other tool of developers. */
  'project tool': tool(),
  rspec: tool(`
    f= fd fp fj t= e= o= c b w P= p r= I= O= format= tag= example= only-failures next-failure
    order= backtrace profile pattern= no-profile require= example-matches= E= dry-run
    fail-if-no-examples bisect warnings default-path= exclude-pattern= options=
  `),
  rubocop: tool(`
    a A x f= o= c= r= D S E l L d P F auto-correct autocorrect autocorrect-all auto-correct-all
    fix-layout only= except= format= out= display-cop-names display-style-guide extra-details
    lint parallel auto-gen-config fail-level= config= require= safe regenerate-todo server
    no-server display-only-fail-level-offenses force-exclusion stdin= s= show-cops
    list-target-files exclude-limit= cache= autocorrect-disable
  `),
  rails: verbs(
    `
      server s test t routes db:migrate db:migrate:status db:seed db:create db:prepare
      db:test:prepare db:setup generate g assets:precompile assets:clean zeitwerk:check stats
      about notes version db:version middleware time:zones:all test:all test:system log:clear
      tmp:clear initializers credentials-none db:schema:dump --version -v -T --tasks
    `,
    `
      p= b= e= c= g= n= T d P= s= environment= port= binding= controller= grep= expanded E=
      unused skip-routes no-helper no-assets skip pretend fail-fast defer-output seed= name=
      tasks skip-test-framework no-test-framework f
    `,
  ),
  brakeman: tool(`
    q z o= f= A w= i= p= no-pager except= only= format= output= confidence-level= exit-on-warn
    no-exit-on-warn ignore-config= I
  `),
  phpunit: tool(`
    c= filter= testdox group= exclude-group= testsuite= stop-on-failure stop-on-error
    configuration= coverage-text coverage-html= coverage-clover= log-junit= do-not-cache-result
    no-coverage list-tests order-by= random-order-seed= process-isolation display-warnings
    display-deprecations display-skipped display-incomplete display-errors display-notices
    no-progress no-results teamcity testdox-text= testdox-html= cache-directory= fail-on-warning
    path-coverage columns= repeat= no-configuration
  `),
  pest: tool(`
    c= filter= group= parallel testsuite= testdox stop-on-failure bail coverage min=
    type-coverage mutate profile compact dirty retry todos p processes= exclude-group= order-by=
    configuration= type= ci
  `),
  phpstan: verbs(
    'analyse analyze clear-result-cache dump-parameters diagnose --version',
    `
      c= l= a= configuration= level= memory-limit= error-format= generate-baseline no-progress
      xdebug debug allow-empty-baseline no-ansi pro tmp-file-none b
    `,
  ),
  psalm: tool(`
    c= m show-info= config= threads= no-cache stats output-format= alter issues= dry-run
    set-baseline= use-baseline= update-baseline no-progress memory-limit= taint-analysis
    find-dead-code find-unused-code monochrome no-diff diff php-version= long-progress
    shepherd-none report=
  `),
  'php-cs-fixer': verbs(
    'fix check list-files describe list --version',
    `
      config= rules= dry-run diff allow-risky= path-mode= using-cache= cache-file= format=
      show-progress= stop-on-violation verbose sequential v vv vvv n
    `,
  ),
  pint: tool('test v dirty preset= config= repair diff= parallel bail format= p no-config'),
  phpcs: tool(`
    n s p standard= report= extensions= ignore= colors severity= warning-severity= parallel=
    encoding= report-full report-summary exclude= sniffs= error-severity= cache e l
  `),
  phpcbf: tool('n s p standard= extensions= ignore= parallel= exclude= sniffs='),
  celery: tool(`
    A= l= c= Q= P= app= loglevel= concurrency= queues= pool= B beat n= without-gossip
    without-mingle
  `),
  'django-admin': verbs(
    `
      startapp startproject check test makemigrations migrate showmigrations runserver
      collectstatic compilemessages makemessages version help
    `,
    `
      settings= noinput no-input verbosity= plan list l pythonpath-none keepdb parallel fake v=
      dry-run
    `,
  ),
  artisan: verbs(
    `
      test serve migrate migrate:status migrate:rollback-none make:model make:controller
      make:migration make:request make:resource make:seeder make:factory make:test
      make:middleware make:job make:event make:listener make:command make:policy make:provider
      make:mail make:notification make:rule make:enum route:list config:clear config:cache
      cache:clear view:clear view:cache route:clear route:cache optimize optimize:clear
      queue:work queue:listen queue:restart queue:failed schedule:list schedule:run
      schedule:work storage:link key:generate about list help env inspire db:seed db:show
      db:table model:show event:list down-none up lang:publish pail horizon:status
      telescope:prune stub:publish package:discover --version
    `,
    `
      class= seed pretend path= step force columns= compact except-vendor only-vendor method=
      port= host= m f c r s a api resource model= migration factory controller all pest unit
      requests env= tries= sleep= memory= queue= once stop-when-empty timeout= min=
      recreate-databases
    `,
  ),
  symfony: verbs(
    `
      serve server:start server:stop server:status server:log check:requirements check:security
      local:php:list --version
    `,
    'd port= no-tls',
  ),
  wp: verbs('--info --version', ''),
  drush: verbs(
    `
      status cr cache:rebuild watchdog:show pm:list config:status config:export cex updb
      updatedb
    `,
    'y fields= format=',
  ),
  lein: verbs('test compile deps check clean jar uberjar help version'),
  mill: verbs('clean resolve show version'),
  conan: verbs('search list inspect profile version'),
  vcpkg: verbs('list search version'),
  pod: verbs('list search outdated env --version install update', 'repo-update clean-install'),
  fastlane: verbs('lanes --version'),
  nimble: verbs('build test check list search', 'y'),
  crystal: verbs('build spec tool version env docs', 'o= release no-debug order='),
  cython: tool('3 2 a X='),
  dlv: verbs('version'),
  air: tool(),
  perf: verbs('list version'),
  'wasm-pack': verbs(
    'build test',
    't= d= target= release dev out-dir= node chrome firefox headless scope=',
  ),
  trunk: verbs('build serve watch clean check fmt', 'a all ci release'),
  cross: verbs('build test check clippy run --version', 'target= release p= features='),
  jekyll: verbs('build serve doctor clean --version', 'd= s= drafts livereload incremental'),
  devcontainer: verbs('read-configuration --version'),
  robot: tool('d= i= e= t= s= outputdir= include= exclude= test= suite= dryrun loglevel='),
  behave: tool('t= n= f= k w tags= name= format= stop no-capture'),
  locust: tool('f= u= r= t= headless H= users= spawn-rate= run-time= locustfile='),
  pdflatex: {
    options: `
      interaction= halt-on-error file-line-error output-directory= jobname= draftmode synctex=
      version help
    `,
    singleDash: true,
  },
  xelatex: {
    options: `
      interaction= halt-on-error file-line-error output-directory= jobname= synctex= version
      help
    `,
    singleDash: true,
  },
  latexmk: {
    options: `
      pdf xelatex lualatex c C f g silent quiet interaction= halt-on-error outdir=
      output-directory= auxdir= cd pv- version help
    `,
    singleDash: true,
  },
  ffmpeg: {
    options: `
      i= y n c= c:v= c:a= codec= vcodec= acodec= b:v= b:a= r= s= ss= t= to= vf= af= an vn sn f=
      crf= preset= hide_banner loglevel= v= map= frames:v= vframes= q:v= qscale:v= pix_fmt= ar=
      ac= movflags= loop= framerate= shortest version codecs formats encoders filters stats
      nostats threads= g= profile:v= update= pattern_type= start_number= stream_loop= metadata=
      map_metadata= filter:v= filter:a= aspect= tune= strict= max_muxing_queue_size= re
    `,
    singleDash: true,
  },
  ffprobe: {
    options: `
      v= loglevel= hide_banner show_format show_streams show_entries= of= print_format=
      select_streams= show_frames show_packets i= count_frames count_packets read_intervals=
      pretty version show_chapters f=
    `,
    singleDash: true,
  },
  convert: {
    options: `
      resize= crop= quality= rotate= strip format= background= gravity= extent= density= depth=
      colorspace= flatten alpha= trim +repage repage border= bordercolor= geometry= thumbnail=
      auto-orient define= transparent= fuzz= fill= negate flip flop blur= sharpen= append
      +append compress= monochrome colors= size= scale= sample= layers= delay= loop= verbose
      version interlace= sampling-factor= type= threshold= normalize level= modulate=
      brightness-contrast= opaque= unsharp= filter= composite compose= annotate= pointsize=
      font= draw= stroke= strokewidth= page= adaptive-resize= set= coalesce clone= delete=
      channel= separate combine evaluate= roll= shave= gamma= contrast
    `,
    singleDash: true,
  },
  cwebp: {
    options: `
      q= o= m= lossless z= resize= quiet alpha_q= preset= mt sharp_yuv near_lossless= metadata=
      size= psnr= version
    `,
    singleDash: true,
  },
  optipng: {
    options: `
      o= o1 o2 o3 o4 o5 o6 o7 strip= quiet i= f= zc= zm= zs= fix keep preserve out= dir= v
      simulate
    `,
    singleDash: true,
  },
  hyperfine: tool(`
    w= r= m= M= i N L= P= D= n= s= S= p= warmup= runs= min-runs= max-runs= ignore-failure
    parameter-list= parameter-scan= parameter-step-size= export-json= export-markdown=
    export-csv= style= time-unit= u= command-name= show-output output= shell= prepare= cleanup=
    setup= conclude=
  `),
  ab: { options: 'n= c= t= k q d S H= T= p= m= s= l r e= g= v= A= C= V h i w' },
  wrk: tool('t= c= d= s= H= L threads= connections= duration= latency timeout= header='),
  hey: {
    options: `
      n= c= q= z= m= H= d= D= T= t= A= o= h2 host= disable-keepalive disable-compression
      disable-redirects cpus= x= more
    `,
    singleDash: true,
  },
  autocannon: tool(`
    c= d= p= m= b= H= a= w= n j r l R= i= W= connections= duration= pipelining= method= body=
    headers= amount= workers= json renderStatusCodes latency title= warmup= timeout= t=
  `),
  bombardier: tool(`
    c= d= n= m= b= H= l latencies p= o= t= rate= r= fasthttp http1 http2 connections= duration=
    requests= method= body= header= print= format=
  `),
  vegeta: verbs(
    'attack report plot encode dump',
    `
      duration= rate= targets= output= type= workers= max-workers= connections= timeout= name=
      body= header= format= http2= keepalive= insecure
    `,
  ),
  ant: {
    options: `
      q v d k h version projecthelp p f= buildfile= D= emacs e diagnostics S silent lib-none
    `,
    singleDash: true,
  },
};
