import type { AcceptedOptions } from './accepted-options.ts';

const only = (options: string): AcceptedOptions => ({ options: `${options} help version` });
const wrapping = (options: string): AcceptedOptions => ({ ...only(options), stopsAtOperand: true });

const listing = `
  # a all A almost-all author b B c C color d directory D f F classify file-type format= g G
  group h human-readable si H hide= hyperlink i inode I= ignore= k l L m n N o p q Q r R
  recursive reverse s S size sort= t time= time-style= T= u U v w= width= x X Z z 1 full-time
  group-directories-first icons git long tree level= git-ignore only-dirs header links blocks
  grid oneline extended
`;

const searching = `
  # e= regexp= f= file= A= B= C= after-context= before-context= context= m= max-count= include=
  exclude= exclude-dir= exclude-from= include-dir= color colour color= i ignore-case
  no-ignore-case v invert-match w word-regexp x line-regexp c count l files-with-matches L
  files-without-match o only-matching q quiet silent s no-messages b byte-offset H with-filename
  h no-filename n line-number T initial-tab Z null a text binary-files= I D= devices= d=
  directories= r recursive R dereference-recursive E extended-regexp F fixed-strings G
  basic-regexp P perl-regexp line-buffered U binary y z null-data label= group-separator=
`;

const ripgrep = `
  # e= regexp= f= file= A= after-context= B= before-context= C= context= m= max-count= g= glob=
  t= type= T= type-not= color= colors= i ignore-case s case-sensitive S smart-case F
  fixed-strings w word-regexp x line-regexp v invert-match c count count-matches l
  files-with-matches files-without-match files o only-matching q quiet H with-filename I
  no-filename n line-number N no-line-number p pretty r= replace= M= max-columns= j= threads=
  sort= sortr= d= max-depth= maxdepth= L follow hidden . no-ignore no-ignore-vcs
  no-ignore-parent u unrestricted uu uuu a text z search-zip U multiline multiline-dotall P
  pcre2 auto-hybrid-regex heading column vimgrep json stats trim passthru null 0 E= encoding=
  iglob= type-list type-add= max-filesize= one-file-system no-messages context-separator=
  path-separator= field-match-separator= crlf binary no-config line-buffered max-columns-preview
  no-unicode glob-case-insensitive debug trace engine= pre= hostname-bin= ignore-dir= ignore=
  nogroup group nocolor noheading no-heading Q literal R depth= G= file-search-regex= match js
  ts python type-set= no-recurse
`;

const textual: Readonly<Record<string, AcceptedOptions>> = {
  cat: only(
    `
      A show-all b number-nonblank e E show-ends n number s squeeze-blank t T show-tabs u v
      show-nonprinting
    `,
  ),
  tac: only('b before r regex s= separator='),
  head: only('# n= lines= c= bytes= q quiet silent v verbose z'),
  tail: only(
    `
      # n= lines= c= bytes= f F follow follow= q quiet silent v verbose z retry pid= s=
      sleep-interval=
    `,
  ),
  wc: only('c bytes m chars l lines L max-line-length w words files0-from= total='),
  uniq: only(
    `
      c count d repeated D all-repeated f= skip-fields= i ignore-case s= skip-chars= u unique w=
      check-chars= z
    `,
  ),
  cut: only(
    `
      b= bytes= c= characters= d= delimiter= f= fields= s only-delimited complement
      output-delimiter= n z
    `,
  ),
  nl: only('b= d= f= h= i= l= n= p s= v= w= body-numbering= number-width= number-format='),
  od: only(`
    A= t= N= j= w= v c x o b d a s i l f h S= read-bytes= skip-bytes= format= address-radix=
    width=
  `),
  xxd: only(`
    a b c= e g= i l= len= n= o= p ps plain postscript r revert s= seek= u C d cols= bits include
    R=
  `),
  hexdump: only('b c C d n= o s= v x e='),
  strings: only('a all f n= t= e= o bytes= encoding= radix= print-file-name #'),
  rev: only('0 zero'),
  fold: only('b bytes s spaces w= width= #'),
  fmt: only('# c p= s t u w= width= crown-margin split-only goal='),
  column: only(`
    c= columns= t table s= separator= n x J json N= table-columns= R= r= o= e d L H= W= O= E=
  `),
  paste: only('d= delimiters= s serial z'),
  join: only('# a= e= i j= o= t= v= 1= 2= ignore-case header check-order nocheck-order z'),
  comm: only('# 1 2 3 check-order nocheck-order output-delimiter= total z'),
  cmp: only('b print-bytes i= l verbose n= s quiet silent bytes= ignore-initial='),
  base64: only('d D decode i ignore-garbage w= wrap= b= break= input='),
  base32: only('d decode i ignore-garbage w= wrap='),
  tr: only('c C complement d delete s squeeze-repeats t truncate-set1'),
  expand: only('i initial t= tabs= #'),
  unexpand: only('a all t= tabs= first-only'),
  pr: only('# a c d e h= i= J l= m n o= s t T w= W='),
  look: only('a d f t='),
  iconv: only('f= from-code= t= to-code= l list c o= output= s silent verbose'),
  shuf: only('e echo i= input-range= n= head-count= o= output= r repeat z random-source='),
  tsort: only(''),
  ts: only('r i s m'),
  less: only(`
    # N n S s R r F X i I E e M m q Q J x= tabs= p= pattern= z= raw-control-chars
    quit-if-one-screen no-init chop-long-lines LINE-NUMBERS
  `),
  more: only('# d f l p c s u n='),
  bat: only(
    `
      A show-all p plain l= language= H= highlight-line= n number color= decorations= paging= P
      wrap= theme= style= r= line-range= tabs= L list-languages list-themes file-name= d diff S
      s squeeze-blank u unbuffered terminal-width= italic-text=
    `,
  ),
  delta: only(`
    n line-numbers s side-by-side dark light color-only syntax-theme= w= width= diff-so-fancy
  `),
  readelf: only(`
    a all h S s l d n r u V W wide e t g x= p= dyn-syms symbols sections segments dynamic
    headers file-header
  `),
  objdump: only(`
    a d D f h p r R s S t T x M= j= C demangle disassemble source w wide syms section=
    no-show-raw-insn private-headers
  `),
  nm: only(`
    A a B C D f= g n o p P r s S u v l demangle dynamic extern-only defined-only undefined-only
    print-size size-sort format=
  `),
  size: only('A B d o x t format='),
  xmllint: only(`
    format noout noblanks nonet xpath= recover html pretty= encode= c14n valid wellformed
    schema= dtdvalid= relaxng= huge nocdata
  `),
  identify: only('verbose format= quiet ping'),
  exiftool: only('a s S G g j json n q r u csv d= ext= fast fast2 h list t T'),
  pdftotext: only('layout raw nopgbrk q f= l= enc= htmlmeta bbox'),
  csvlook: only('d= t q= e= y= l H max-rows= max-columns= max-column-width='),
  csvcut: only('d= t q= e= n c= C= x l names columns= not-columns='),
  fx: only(''),
  gron: only('u ungron s stream v values j json k m monochrome c colorize no-sort'),
  glow: only('p pager s= style= w= width= l local'),
  file: only(`
    b brief i mime mime-type mime-encoding L dereference h k z s f= files-from= m= magic-file=
    F= separator= N n p r 0 E
  `),
  diff: only(
    `
      # q brief s report-identical-files c C= context context= u U= unified unified= e n y
      side-by-side W= width= left-column suppress-common-lines p F= label= L= t T l r recursive
      no-dereference N new-file unidirectional-new-file ignore-file-name-case x= exclude= i
      ignore-case E Z b w ignore-space-change ignore-all-space B ignore-blank-lines I=
      ignore-matching-lines= a text strip-trailing-cr color color= d minimal speed-large-files
      tabsize= ignore-trailing-space ignore-tab-expansion normal
    `,
  ),
  sdiff: only('s l w= i b W B a suppress-common-lines width= ignore-case'),
  open: only('a= e t R n g W F'),
  'xdg-open': only(''),
  code: only(`
    n new-window r reuse-window w wait d diff a add g goto m merge v list-extensions
    show-versions status
  `),
  xclip: only('i in o out selection= sel= t= target= d= f l quiet'),
  sort: only(
    `
      b ignore-leading-blanks d dictionary-order f ignore-case g general-numeric-sort i M
      month-sort h human-numeric-sort n numeric-sort R random-sort r reverse V version-sort
      sort= batch-size= c check C k= key= m merge o= output= s stable S= buffer-size= t=
      field-separator= T= temporary-directory= parallel= u unique z zero-terminated files0-from=
      debug compress-program=
    `,
  ),
  jq: only(
    `
      arg= argjson= indent= slurpfile= rawfile= f= from-file= n null-input r raw-output
      raw-output0 j join-output a ascii-output s slurp c compact-output S sort-keys C
      color-output M monochrome-output tab e exit-status R raw-input args jsonargs stream seq h
      unbuffered stream-errors L=
    `,
  ),
  yq: only(
    `
      i inplace in-place o= output-format= p= input-format= P prettyPrint r unwrapScalar j
      tojson e exit-status n null-input N no-doc I= indent= C colors M no-colors v verbose s= S
      y Y R raw-input c compact-output a arg= argjson= f= front-matter= xml-attribute-prefix= h
    `,
  ),
  sed: only(
    `
      n quiet silent e= expression= f= file= E r regexp-extended i? in-place? l= line-length= s
      separate u unbuffered z null-data posix sandbox b
    `,
  ),
  awk: only(`
    F= v= f= file= field-separator= assign= e= source= b c O S P posix sandbox i= include= l=
    load= E= exec= csv n
  `),
};

export const fileOptions: Readonly<Record<string, AcceptedOptions>> = {
  ...textual,
  batcat: textual.bat as AcceptedOptions,
  gsed: textual.sed as AcceptedOptions,
  gawk: textual.awk as AcceptedOptions,
  mawk: textual.awk as AcceptedOptions,
  nawk: textual.awk as AcceptedOptions,
  colordiff: textual.diff as AcceptedOptions,
  ...Object.fromEntries(
    ['grep', 'egrep', 'fgrep', 'zgrep', 'pcregrep', 'ugrep'].map((name) => [name, only(searching)]),
  ),
  ...Object.fromEntries(['rg', 'ag', 'ack'].map((name) => [name, only(ripgrep)])),
  ...Object.fromEntries(
    'md5sum sha1sum sha256sum sha512sum b2sum shasum cksum'
      .trim()
      .split(/\s+/)
      .map((name) => [
        name,
        only(`
        b binary c check t text z tag ignore-missing quiet status strict w warn a= algorithm= l=
      `),
      ]),
  ),
  ...Object.fromEntries(
    ['ls', 'll', 'la', 'dir', 'exa', 'eza'].map((name) => [name, only(listing)]),
  ),
  tree: only(
    `
      a d f l x L= P= I= gitignore ignore-case matchdirs prune noreport charset= filelimit=
      timefmt= q N Q p u g s h si du D F v t c U r dirsfirst filesfirst sort= i A S n C X J
      dirs-only
    `,
  ),
  history: only('# c'),
  ps: only(`
    a A d e f F l j u x o= O= p= C= U= u= g= s= t= q= L T H w ww no-headers headers sort= pid=
    ppid= forest user= format= cols= columns= r N M v
  `),
  ss: only(`
    t u l n p a s o e m i 4 6 x w H r tcp udp listening numeric processes all summary extended
    options memory info
  `),
  lsof: only('a b c= d= i n P p= t u= U l L N o r s? T V w g F= i= t'),
  cloc: only(`
    by-file by-file-by-lang exclude-dir= exclude-ext= exclude-lang= include-lang= include-ext=
    json yaml csv md quiet q vcs= git hide-rate progress-rate= not-match-d= not-match-f=
    match-d= match-f= sum-one skip-uniqueness timeout= fullpath
  `),
  scc: only(`
    by-file no-cocomo no-complexity f= format= i= include-ext= exclude-dir= s= sort= w wide n=
    not-match= x= exclude-ext= c d no-duplicates M= no-gen no-min z
  `),
  tokei: only(`
    e= exclude= f files C= s= sort= t= type= types= n= num-format= c= columns= hidden no-ignore
    l languages v verbose compact
  `),
  neofetch: only('off stdout'),
  cowsay: only('b d g p s t w y n e= T= W= l'),
  say: only('v= r='),
  man: only('k f a w where path P= pager= H html C= s= S= sections= K l local-file'),
  mcookie: only('v'),
  du: only(`
    # a all b bytes B= block-size= c total d= max-depth= h human-readable H k l L m P s
    summarize S t= threshold= x one-file-system X= exclude-from= exclude= 0 apparent-size inodes
    si time time= time-style= D
  `),
  cp: only(
    `
      a archive b backup d f force i interactive H l link L dereference n no-clobber P
      no-dereference p preserve R r recursive reflink remove-destination sparse
      strip-trailing-slashes s symbolic-link S= suffix= t= target-directory= T
      no-target-directory u update v verbose x one-file-system parents attributes-only debug c X
    `,
  ),
  install: only(`
    b backup c C compare d directory D g= group= m= mode= o= owner= p preserve-timestamps s
    strip S= suffix= t= target-directory= T no-target-directory v verbose
  `),
  mv: only(`
    b backup f force i interactive n no-clobber S= suffix= t= target-directory= T
    no-target-directory u update v verbose strip-trailing-slashes exchange
  `),
  rm: only(`
    f force i I interactive interactive= r R recursive d dir v verbose one-file-system
    preserve-root no-preserve-root P
  `),
  ln: only(`
    b backup d f force i interactive L logical n no-dereference P physical r relative s symbolic
    S= suffix= t= target-directory= T no-target-directory v verbose h
  `),
  mkdir: only('m= mode= p parents v verbose'),
  touch: only('a c no-create d= date= f h m r= reference= t= time='),
  truncate: only('c no-create o io-blocks r= reference= s= size='),
  tee: only('a append i ignore-interrupts p output-error'),
  split: only(`
    a= suffix-length= additional-suffix= b= bytes= C= line-bytes= d numeric-suffixes x e
    elide-empty-files l= lines= n= number= t= separator= u verbose
  `),
  patch: only(`
    i= input= d= directory= o= output= p= strip= R reverse N forward s silent quiet f force t
    batch b backup E dry-run verbose B= r= reject-file= D= F= fuzz= u unified c context l
    ignore-whitespace binary Z V= z= Y= g= no-backup-if-mismatch merge follow-symlinks
  `),
  tar: only(
    `
      # c create x extract get t list r append u update f= file= z gzip j bzip2 J xz Z zstd a
      auto-compress v verbose C= directory= O to-stdout k keep-old-files overwrite p
      same-permissions preserve-permissions m touch exclude= X= exclude-from= exclude-vcs
      exclude-vcs-ignores T= files-from= h dereference strip-components= strip= transform=
      xform= one-top-level owner= group= mode= mtime= no-same-owner no-same-permissions sort=
      numeric-owner wildcards no-wildcards anchored null remove-files P absolute-names w
      keep-newer-files skip-old-files totals show-transformed-names no-recursion lzma format= o
      B S sparse level= xattrs acls full-time warning= ignore-zeros i use-compress-program= I=
      to-command= checkpoint-action= F= info-script= new-volume-script= rsh-command= checkpoint
    `,
  ),
  zip: only(`
    # r recurse-paths q quiet v j junk-paths m move u update f d delete x= exclude= i= include=
    e P= password= y symlinks X n= b= t= tt= T 0 9 @ g l
  `),
  unzip: only('l p t Z q o n j d= P= v x= u a L C z f'),
  gzip: only(`
    # c stdout to-stdout d decompress uncompress f force k keep l list n no-name N name q quiet
    r recursive t test v verbose fast best
  `),
  rsync: only(
    `
      # v verbose q quiet a archive r recursive R relative b backup u update inplace append d
      dirs l links L copy-links k K H hard-links p perms E A X o owner g group t times S sparse
      n dry-run W whole-file x one-file-system ignore-existing existing remove-source-files
      delete delete-after delete-before delete-during delete-excluded force max-delete=
      max-size= min-size= partial P progress timeout= c checksum z compress i itemize-changes
      stats h human-readable exclude= include= f= filter= C cvs-exclude exclude-from=
      include-from= chmod= bwlimit= no-perms no-owner no-group size-only I ignore-times m
      prune-empty-dirs info= list-only e= rsh= rsync-path= omit-dir-times O out-format=
      copy-dirlinks safe-links
    `,
  ),
  fd: only(
    `
      H hidden I no-ignore u unrestricted no-ignore-vcs s case-sensitive i ignore-case g glob
      regex F fixed-strings a absolute-path l list-details L follow p full-path 0 print0 d=
      max-depth= min-depth= exact-depth= E= exclude= prune t= type= e= extension= S= size=
      changed-within= changed-before= o= owner= c= color= j= threads= 1 max-results= q quiet x=
      exec= X= exec-batch= base-directory= search-path= strip-cwd-prefix and= one-file-system
    `,
  ),
  env: wrapping('i ignore-environment 0 null u= unset= C= chdir= v debug S= split-string='),
  xargs: wrapping(
    `
      0 null a= arg-file= d= delimiter= E= e i I= replace L= l n= max-args= max-lines P=
      max-procs= p interactive r no-run-if-empty s= max-chars= t verbose x exit o open-tty R= J=
    `,
  ),
  time: wrapping('a append f= format= o= output= p portability v verbose q quiet l'),
  timeout: wrapping('k= kill-after= s= signal= preserve-status foreground v verbose'),
  nice: wrapping('n= adjustment= #'),
  ionice: wrapping('c= n= p= t class= classdata='),
  nohup: wrapping(''),
  setsid: wrapping('c f w ctty fork wait'),
  stdbuf: wrapping('i= o= e= input= output= error='),
  parallel: wrapping(`
    j= jobs= k keep-order 0 null n= N= L= I= t verbose bar progress eta dry-run v halt= X m C=
    colsep= delay= timeout= will-cite no-notice u ungroup line-buffer lb tag q quote r
    no-run-if-empty
  `),
  watch: wrapping(`
    n= interval= d differences t no-title c color b beep e errexit g chgexit x exec p precise w
  `),
  dotenv: wrapping('e= c f= v= p o'),
};

for (const [name, other] of [
  ['gunzip', 'gzip'],
  ['bzip2', 'gzip'],
  ['bunzip2', 'gzip'],
  ['xz', 'gzip'],
  ['unxz', 'gzip'],
  ['gtimeout', 'timeout'],
  ['gxargs', 'xargs'],
  ['fdfind', 'fd'],
  ['bsdtar', 'tar'],
  ['gcp', 'cp'],
])
  (fileOptions as Record<string, AcceptedOptions>)[name as string] = fileOptions[
    other as string
  ] as AcceptedOptions;
