import type { AcceptedOptions } from './accepted-options.ts';

const only = (options: string): AcceptedOptions => ({ options: `${options} help version h` });

const dockerVerbs = `
  ps images logs inspect info version stats top port events search diff history run create exec
  build pull push tag rm rmi stop start restart kill rename pause unpause wait cp login logout
  commit save export attach update
`.trim();
const composeVerbs = `
  up down ps logs config images top ls version port events run exec build pull push stop start
  restart kill rm pause unpause create watch convert wait stats cp
`.trim();
const dockerFamilies: readonly (readonly [string, string])[] = [
  ['image', 'ls inspect history rm tag build pull push prune save'],
  ['container', 'ls inspect logs prune'],
  ['volume', 'ls inspect create rm prune'],
  ['network', 'ls inspect create rm connect disconnect prune'],
  ['system', 'df info prune events'],
  ['context', 'ls show inspect'],
  ['buildx', 'ls inspect version build bake du prune'],
  ['builder', 'prune build'],
  ['manifest', 'inspect'],
  ['swarm', 'init join leave update'],
  ['stack', 'deploy rm ls ps services'],
  ['service', 'create update rm ls ps logs scale inspect'],
  ['secret', 'create rm ls inspect'],
  ['config', 'create rm ls inspect'],
  ['node', 'ls inspect update rm ps'],
  ['scout', 'quickview cves'],
];

/** Clients of hosts, databases, clusters and clouds. */
export const remoteOptions: Readonly<Record<string, AcceptedOptions>> = {
  curl: only(`
    # X= request= H= header= d= data= data-raw= data-binary= data-urlencode= data-ascii= json=
    F= form= form-string= o= output= O remote-name remote-name-all J remote-header-name
    output-dir= create-dirs T= upload-file= u= user= A= user-agent= e= referer= b= cookie= c=
    cookie-jar= K= config= x= proxy= m= max-time= connect-timeout= retry= retry-delay=
    retry-max-time= retry-all-errors retry-connrefused w= write-out= D= dump-header= resolve=
    connect-to= url= trace= trace-ascii= stderr= limit-rate= r= range= C= continue-at= z=
    time-cond= preproxy= socks5= socks5-hostname= netrc-file= hsts= etag-save= etag-compare=
    libcurl= doh-url= s silent S show-error f fail fail-early fail-with-body i include
    show-headers I head L location location-trusted k insecure v verbose V g globoff G get N
    no-buffer compressed http1.0 http1.1 http2 http2-prior-knowledge http3 0 1 4 ipv4 6 ipv6 Z
    parallel tlsv1.2 tlsv1.3 tlsv1 ssl-reqd basic digest anyauth oauth2-bearer= max-redirs=
    no-progress-meter progress-bar path-as-is no-keepalive keepalive-time= tcp-nodelay raw
    tr-encoding url-query= y= Y= speed-limit= speed-time= q disable post301 post302 a append
  `),
  wget: only(`
    O= output-document= P= directory-prefix= o= output-file= a= append-output= i= input-file= e=
    execute= U= user-agent= header= T= timeout= t= tries= post-data= post-file= body-file=
    body-data= method= q quiet nv no-verbose v verbose c continue N timestamping nc no-clobber S
    server-response spider r recursive l= level= np no-parent k convert-links p page-requisites
    A= R= D= accept= reject= E adjust-extension nd no-directories x force-directories nH
    no-host-directories cut-dirs= w= wait= random-wait limit-rate= no-check-certificate
    show-progress progress= content-disposition max-redirect= 4 6 n m mirror B= base= config=
    use-askpass= load-cookies= save-cookies= retry-connrefused connect-timeout= read-timeout=
    no-cache waitretry=
  `),
  ssh: {
    options: 'p= l= i= o= F= L= R= D= J= W= v q t T N n f A a C x X Y 4 6 G Q= V',
    stopsAtOperand: true,
  },
  scp: only('p P= i= o= F= J= S= D= r v q C B 3 4 6 l= c= T O s X='),
  sftp: only('P= i= r v q C'),
  http: only(`
    o= output= d download b body h headers p= print= v verbose f form j json multipart a= auth=
    A= auth-type= timeout= follow F check-status ignore-stdin pretty= s= style= S stream q quiet
    I verify= c continue
  `),
  psql: only(`
    c= command= f= file= h= host= o= output= L= log-file= U= username= d= dbname= p= port= v=
    set= variable= F= P= R= T= t tuples-only A no-align x expanded q quiet X no-psqlrc 1
    single-transaction a b e E s S l list w no-password W password csv H n z 0 pset= echo-all
  `),
  mysql: only(`
    e= execute= h= host= tee= u= user= P= port= D= database= protocol= S= socket= p password N
    skip-column-names s silent B batch t table E vertical r raw v verbose A
    default-character-set= ssl-mode= X connect-timeout= q quick f force no-auto-rehash H
    safe-updates U
  `),
  sqlite3: {
    options: `
      header noheader csv json column box table markdown line list html quote tabs ascii
      separator= nullvalue= newline= readonly batch bail echo version help cmd= init= safe stats
    `,
    singleDash: true,
  },
  duckdb: {
    options: `
      c= s= cmd= init= json csv box markdown line list table header noheader readonly version
      help ascii column nullvalue= separator= bail batch
    `,
    singleDash: true,
  },
  'redis-cli': {
    options: `
      h= p= a= n= u= s= r= i= user= pass= c no-auth-warning raw no-raw json csv scan pattern=
      stat bigkeys memkeys hotkeys latency tls help version eval= pipe rdb= x X= verbose e 2 3
      ldb quoted-input
    `,
    stopsAtOperand: true,
  },
  mongosh: only(`
    eval= host= port= u= username= p= password= f= file= quiet norc json json=
    authenticationDatabase= tls db= nodb
  `),
  openssl: {
    options: `
      in= out= key= keyout= connect= config= engine= provider= pass= k= K= iv= subj= days=
      newkey= CA= CAkey= inkey= signkey= extfile= inform= outform= servername= passin= passout=
      name= export signature= verify= text noout dates subject issuer fingerprint sha1 sha256
      sha384 sha512 md5 hex base64 a d e A pubout pubin nodes noenc new x509 req_extensions=
      addext= enddate startdate checkend= serial modulus purpose showcerts alpn= tls1_2 tls1_3
      brief quiet aes-256-cbc aes256 pbkdf2 iter= salt nosalt r binary sign= CAfile= batch
      verify_return_error starttls= crlf algorithm= pkeyopt= curve= genkey check ext= nokeys
      clcerts des3 info status ign_eof v pubkey CAcreateserial set_serial= extensions=
      copy_extensions= newhdr param_enc=
    `,
    singleDash: true,
  },
  kubectl: {
    options: `
      n= namespace= context= cluster= o= output= l= selector= f= filename= k= kustomize= c=
      container= tail= since= since-time= field-selector= sort-by= timeout= for= template= p
      previous A all-namespaces w watch watch-only show-labels no-headers all-containers follow
      timestamps limit-bytes= prefix R recursive ignore-not-found chunk-size= L= label-columns=
      show-kind server-print show-managed-fields containers request-timeout= v=
      use-protocol-buffers api-group= namespaced verbs= short client cached list server-side
      dry-run dry-run= minify raw flatten kubeconfig= token= as= as-group= max-log-requests=
      pod-running-timeout= insecure-skip-tls-verify-backend ignore-errors subresource=
      show-events output-watch-events type= patch= image= replicas= h help version
      field-manager= force-conflicts load-restrictor= enable-helm address= types= concurrency=
      s= server= user=
    `,
  },
  helm: only(`
    n= namespace= f= values= set= set-string= set-file= set-json= version= kube-context= o=
    output= timeout= A all-namespaces a all q short r revision= max= debug dry-run dry-run=
    devel include-crds skip-tests show-only= s= strict with-subcharts l= selector=
    create-namespace wait atomic install i no-hooks post-renderer= kubeconfig= repo=
    api-versions= kube-version= is-upgrade validate destination= d= untar verify c color
    no-color context= C= suppress= three-way-merge dependency-update skip-refresh regexp
    versions name-template= generate-name
  `),
  terraform: {
    options: `
      chdir= var= var-file= out= target= state= lock= lock-timeout= parallelism= refresh=
      refresh replace= no-color json input= input detailed-exitcode compact-warnings destroy
      refresh-only check diff recursive write= list upgrade backend= backend reconfigure get=
      help version raw filter= verbose type= lockfile= backend-config= auto-approve
      generate-config-out= plugin-dir= from-module= migrate-state force-copy h
      terragrunt-non-interactive terragrunt-working-dir= draw-cycles concise test-directory=
    `,
    singleDash: true,
  },
  docker: {
    options: `
      H= host= context= c= f= file= p= publish= P publish-all v= volume= mount= e= env=
      env-file= name= w= workdir= u= user= network= net= t tag= build-arg= target= platform=
      entrypoint= l= label= m= memory= cpus= device= cap-add= cap-drop= security-opt= pid= ipc=
      add-host= restart= hostname= progress= cache-from= cache-to= o= output= secret= filter=
      format= n= tail= since= until= scale= profile= project-name= project-directory= timeout=
      pull pull= gpus= shm-size= tmpfs= userns= a all volumes-from= iidfile= metadata-file= i
      interactive tty d detach rm it q quiet no-cache force-recreate build no-build no-deps
      remove-orphans wait wait-timeout= abort-on-container-exit exit-code-from=
      renew-anon-volumes V volumes follow f timestamps details no-trunc s size no-stream latest
      services images resolve-image-digests dry-run force push load squash compress no-color
      no-log-prefix attach= T index= init read-only stop-timeout= health-cmd= health-interval=
      health-timeout= health-retries= ulimit= log-driver= log-opt= dns= expose= link= ip= h help
      version D debug privileged sig-proxy group-add= volumes-driver= env-var archive L
      follow-link time= S signal= detach-keys= provenance= provenance sbom= attest= builder=
      no-start always-recreate-deps watch menu hash= environment no-interpolate no-normalize
      no-consistency variables j= parallel= rmi= ignore-pull-failures include-deps orphans
      password-stdin password= username= label-file= cidfile= memory-swap= cpu-shares=
      cpuset-cpus= pids-limit= driver= subnet= cgroupns= device-cgroup-rule= runtime= isolation=
      rootfs= annotation= uts=
    `,
    verbs: Object.fromEntries(
      [
        ...dockerVerbs.trim().split(/\s+/),
        ...dockerVerbs
          .trim()
          .split(/\s+/)
          .map((verb) => `container ${verb}`),
      ]
        .concat(
          composeVerbs
            .trim()
            .split(/\s+/)
            .flatMap((verb) => [`compose ${verb}`, `podman ${verb}`]),
        )
        .concat(
          dockerFamilies.flatMap(([family, verbs]) =>
            verbs
              .trim()
              .split(/\s+/)
              .map((verb) => `${family} ${verb}`),
          ),
        )
        .map((verb) => [verb, '']),
    ),
    inner: {
      run: 1,
      create: 1,
      exec: 1,
      'container run': 1,
      'container exec': 1,
      'compose run': 1,
      'compose exec': 1,
    },
  },
  gh: only(`
    X= method= f= raw-field= F= field= H= header= input= R= repo= q= jq= T= template= t= title=
    b= body= body-file= L= limit= json json= B= base= head= l= label= a= assignee= r= reviewer=
    hostname= s= state= S= search= m= milestone= c= comments w web d draft fill fill-first
    fill-verbose p= project= A= author= paginate slurp i include verbose silent cache= log
    log-failed job= exit-status watch interval= required fail-fast name-only patch color= merged
    squash delete-branch merge rebase auto admin D= e= add-label= remove-label= add-assignee=
    remove-assignee= add-reviewer= remove-reviewer= comment= approve request-changes event=
    branch= workflow= user= commit= attempt= visibility= language= topic= order= sort= archived
    fork source owner= created= updated= closed= involves= mentions= mention= dir= name=
    pattern= O= force n= generate-notes notes= notes-file= prerelease target= verify-tag clobber
    detach recurse-submodules show-token yes compact edit-last public private internal clone
    remote= reason= match= no-maintainer-edit u=
  `),
  gpg: only(`
    o= output= r= recipient= u= default-key= d decrypt e encrypt s sign a armor b detach-sign c
    symmetric verify list-keys list-secret-keys k K fingerprint keyid-format= with-colons import
    export export-secret-keys export-secret-subkeys delete-secret-keys clearsign batch yes
    passphrase= homedir= no-tty status-fd= q quiet v verbose show-keys dearmor
  `),
  aws: only(`
    region= profile= output= query= filters= filter= max-items= page-size= no-paginate
    no-cli-pager starting-token= recursive human-readable summarize dryrun exclude= include=
    delete bucket= key= prefix= delimiter= stack-name= function-name= cluster= cluster-name=
    services= service= tasks= instance-ids= log-group-name= log-stream-name=
    log-group-name-prefix= start-time= end-time= filter-pattern= follow since= format= limit=
    table-name= name= names= queue-url= topic-arn= role-name= policy-arn= user-name=
    db-instance-identifier= db-cluster-identifier= secret-id= with-decryption path= image-ids=
    owners= vpc-ids= subnet-ids= group-ids= load-balancer-arns= target-group-arn=
    repository-name= registry-id= image-tag= state-machine-arn= execution-arn= rest-api-id=
    distribution-id= hosted-zone-id= certificate-arn= key-id= alarm-names= namespace=
    metric-name= dimensions= statistics= period= no-sign-request debug color=
    cli-connect-timeout= cli-read-timeout= sse acl= attribute-names= max-number-of-messages=
    show-all attributes= status= job-id= pipeline-name= domain-name= group-name= id= ids=
    resource-arn= arn= key-condition-expression= expression-attribute-values=
    expression-attribute-names= projection-expression= index-name= filter-expression=
    consistent-read count select= max-results= next-token=
  `),
  'ansible-playbook': only(`
    i= inventory= C check D diff l= limit= t= tags= skip-tags= v vv vvv syntax-check list-tasks
    list-hosts list-tags flush-cache step start-at-task= f= forks= u= user= K become b
  `),
  cdk: only(`
    c= context= profile= q quiet v verbose json j no-staging strict long l all exclusively e
    no-color ci fail path-metadata
  `),
};

const compose: AcceptedOptions = {
  options: (remoteOptions.docker as AcceptedOptions).options,
  verbs: Object.fromEntries(
    composeVerbs
      .trim()
      .split(/\s+/)
      .map((verb) => [verb, '']),
  ),
  inner: { run: 1, exec: 1 },
};
Object.assign(remoteOptions, { 'docker-compose': compose, 'podman-compose': compose });

for (const [name, other] of [
  ['mariadb', 'mysql'],
  ['valkey-cli', 'redis-cli'],
  ['mongo', 'mongosh'],
  ['https', 'http'],
  ['httpie', 'http'],
  ['xh', 'http'],
  ['oc', 'kubectl'],
  ['k', 'kubectl'],
  ['tofu', 'terraform'],
  ['terragrunt', 'terraform'],
  ['podman', 'docker'],
  ['nerdctl', 'docker'],
  ['glab', 'gh'],
  ['wget2', 'wget'],
])
  (remoteOptions as Record<string, AcceptedOptions>)[name as string] = remoteOptions[
    other as string
  ] as AcceptedOptions;
