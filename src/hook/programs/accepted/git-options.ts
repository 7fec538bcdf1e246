import type { AcceptedOptions } from './accepted-options.ts';

/** What commands that print differences, history and names have in common. */
const reading = `
  # p patch u U= unified= raw no-patch s stat stat= shortstat numstat dirstat summary name-only
  name-status color color-words word-diff word-diff-regex= color-moved color-moved-ws renames M
  find-renames C find-copies D irreversible-delete l= diff-filter= S= G= pickaxe-all
  pickaxe-regex R relative a text b ignore-space-change w ignore-all-space ignore-blank-lines
  ignore-space-at-eol ignore-cr-at-eol I= ignore-matching-lines= inter-hunk-context= W
  function-context exit-code quiet q z no-ext-diff no-textconv ignore-submodules submodule
  src-prefix= dst-prefix= prefix minimal patience histogram diff-algorithm= check full-index
  binary abbrev cc c m cached staged merge-base no-index compact-summary stat-width=
  stat-name-width= stat-count= indent-heuristic ours theirs base diff-merges= remerge-diff t r
  root no-commit-id v stdin output= oneline n= max-count= skip= since= after= until= before=
  author= committer= grep= all-match invert-grep i regexp-ignore-case E F P extended-regexp
  fixed-strings perl-regexp basic-regexp merges min-parents= max-parents= first-parent not all
  branches tags remotes glob= exclude= reflog g walk-reflogs merge cherry-mark cherry-pick
  cherry left-only right-only left-right boundary simplify-by-decoration full-history dense
  sparse simplify-merges ancestry-path topo-order date-order author-date-order reverse no-walk
  format= pretty pretty= abbrev-commit decorate decorate-refs= decorate-refs-exclude=
  clear-decorations source mailmap use-mailmap log-size L= date= parents children graph notes
  show-signature follow relative-date encoding= expand-tabs count timestamp objects
  ignore-missing short branch B porcelain long ahead-behind column untracked-files ignored
  show-stash o others modified deleted k killed unmerged stage d x= exclude-standard
  exclude-from= X= exclude-per-directory= error-unmatch full-name recurse-submodules deduplicate
  eol directory no-empty-directory e= f cat-file object-only verify default= flags revs-only
  no-flags symbolic symbolic-full-name abbrev-ref show-toplevel show-prefix show-cdup
  is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository git-dir
  git-common-dir git-path= absolute-git-dir show-superproject-working-tree sq-quote
  local-env-vars path-format= candidates= contains= contains dirty broken exact-match match=
  always points-at= merged no-merged no-contains sort= ignore-case heads dereference hash head
  independent fork-point octopus is-ancestor h help line-number H heading break show-function
  threads= max-depth= files-with-matches files-without-match L and or untracked word-regexp A=
  after-context= B= before-context= C= context= only-matching line-porcelain incremental
  show-email show-name show-number ignore-rev= ignore-revs-file= batch batch-check
  batch-all-objects type size unordered buffer allow-unknown-type full strict unreachable
  dangling lost-found connectivity-only no-reflogs progress no-dual-color creation-factor=
  numbered group= email version list l super-prefix= more= current topics sha1-name write-tree
  messages name-objects trailer= parse unfold only-trailers only-input where= if-exists=
  if-missing= strip-comments textconv ext-diff open-files-in-pager=
`;

const commitLike = `
  n no-commit e edit no-edit m= mainline= x s signoff S gpg-sign ff allow-empty
  allow-empty-message keep-redundant-commits strategy= X= strategy-option= rerere-autoupdate
  continue abort skip quit reference cleanup=
`;

const transfer = `
  all a append atomic depth= deepen= shallow-since= unshallow update-shallow dry-run n f force
  keep k prune p prune-tags P tags t no-tags refetch recurse-submodules j= jobs= q quiet v
  verbose progress o= server-option= 4 ipv4 6 ipv6 set-upstream u write-fetch-head multiple
  negotiate-only ff ff-only rebase r autostash commit edit e squash stat strategy= s= X=
  strategy-option= allow-unrelated-histories no-verify-signatures signoff log S gpg-sign heads
  refs get-url sort= exit-code symref
`;

/** Other options of git run helpers, or work on other repositories. */
export const gitOptions: Readonly<Record<string, AcceptedOptions>> = {
  git: {
    // The description judges those that make git work elsewhere or change its settings.
    options: `
      C= c= git-dir= work-tree= namespace= super-prefix= config-env= exec-path= no-pager P p
      paginate no-optional-locks literal-pathspecs glob-pathspecs noglob-pathspecs
      icase-pathspecs version help h v no-replace-objects
    `,
    verbs: {
      ...Object.fromEntries(
        `
          status log diff show blame annotate ls-files ls-tree rev-parse rev-list describe
          shortlog cat-file for-each-ref name-rev merge-base show-ref show-branch count-objects
          fsck check-ignore check-attr var whatchanged version help cherry range-diff diff-tree
          diff-index diff-files verify-commit verify-tag grep merge-tree get-tar-commit-id
          column stripspace verify-pack interpret-trailers patch-id check-ref-format write-tree
        `
          .trim()
          .split(/\s+/)
          .map((verb) => [verb, reading]),
      ),
      shortlog: `
        s summary n numbered e email c committer w group= format= merges since= until= author=
        all date= first-parent no-merges grep=
      `,
      add: `
        n dry-run v verbose f force i interactive p patch e edit u update A all no-all
        ignore-removal N intent-to-add refresh ignore-errors ignore-missing renormalize chmod=
        sparse
      `,
      stage: 'A all u update p patch f force',
      rm: 'f force n dry-run r cached ignore-unmatch q quiet sparse',
      mv: 'f force k n dry-run v verbose sparse',
      restore: `
        s= source= p patch W worktree S staged q quiet progress ours theirs m merge conflict=
        ignore-unmerged overlay recurse-submodules
      `,
      checkout: `
        q quiet progress f force ours theirs b= B= t track no-track l detach d orphan= m merge
        conflict= p patch ignore-other-worktrees recurse-submodules overlay guess
      `,
      switch: `
        c= create= C= force-create= d detach guess f force discard-changes m merge conflict= q
        quiet progress t track orphan= ignore-other-worktrees recurse-submodules
      `,
      stash: `
        p patch S staged k keep-index q quiet u include-untracked a all m= message= index
        only-untracked stat name-only name-status oneline #
      `,
      clean: 'd f force i interactive n dry-run q quiet e= exclude= x X',
      reset: `
        q quiet soft mixed hard merge keep N intent-to-add p patch refresh recurse-submodules
      `,
      apply: `
        stat numstat summary check index cached 3 3way R reverse reject z p= unidiff-zero apply
        C= binary exclude= include= inaccurate-eof v verbose recount directory= allow-empty
        whitespace= intent-to-add unsafe-paths q quiet N
      `,
      am: `
        s signoff k keep c scissors q quiet 3 3way rerere-autoupdate continue r resolved skip
        abort quit retry show-current-patch committer-date-is-author-date ignore-date
        keep-non-patch u utf8 i interactive
      `,
      commit: `
        a all p patch C= reuse-message= c= reedit-message= fixup= squash= reset-author short
        branch porcelain long z null F= file= author= date= m= message= t= template= s signoff
        no-verify n verify allow-empty allow-empty-message cleanup= e edit no-edit amend
        post-rewrite i include o only pathspec-file-nul u untracked-files v verbose q quiet
        dry-run status S gpg-sign no-gpg-sign trailer=
      `,
      merge: `
        commit e edit no-edit cleanup= ff ff-only S gpg-sign log signoff stat n compact-summary
        squash s= strategy= X= strategy-option= verify-signatures summary q quiet v verbose
        progress autostash allow-unrelated-histories m= F= file= rerere-autoupdate abort quit
        continue
      `,
      'cherry-pick': commitLike,
      revert: commitLike,
      branch: `
        d delete D f force m move M c copy C color i ignore-case column sort= r remotes a all l
        list show-current v vv abbrev q quiet t track no-track recurse-submodules
        set-upstream-to= u= unset-upstream contains merged no-merged no-contains points-at=
        format= create-reflog
      `,
      tag: `
        a annotate s sign u= f force d delete v verify n # l list sort= color i ignore-case
        omit-empty column contains merged no-merged no-contains points-at= m= message= F= file=
        e edit cleanup= create-reflog format=
      `,
      notes: 'm= message= ref= f force C= c= v verbose',
      worktree: `
        f force b= B= d detach checkout track guess-remote lock reason= orphan q quiet porcelain
        z v verbose n dry-run expire=
      `,
      'hash-object': 't= w stdin path= no-filters literally',
      gc: 'aggressive auto prune prune= quiet q force keep-largest-pack',
      bisect: '*',
      init: 'q quiet bare b= initial-branch= template= separate-git-dir= shared object-format=',
      'format-patch': `
        o= output-directory= stdout n numbered N no-numbered # s signoff thread cover-letter
        subject-prefix= v= reroll-count= start-number= k keep-subject base= zero-commit root p
        stat M binary to= cc= in-reply-to= suffix= q quiet
      `,
      archive: `
        format= l list v verbose prefix= o= output= add-file= exec= remote= worktree-attributes
        # mtime=
      `,
      config: `
        global system local worktree f= file= blob= get get-all get-regexp get-urlmatch add
        unset unset-all replace-all rename-section remove-section l list type= bool int
        bool-or-int path expiry-date z null name-only show-origin show-scope default= e edit all
        regexp= value= fixed-value get-color get-colorbool
      `,
      clone: `
        l local s shared q quiet v verbose progress n no-checkout bare mirror o= origin= b=
        branch= revision= single-branch no-tags depth= shallow-since= shallow-exclude=
        recurse-submodules recursive shallow-submodules remote-submodules j= jobs= filter=
        sparse dissociate 4 6 u= upload-pack= c= config= template= separate-git-dir= bundle-uri=
        reject-shallow
      `,
      fetch: `${transfer} upload-pack=`,
      pull: `${transfer} upload-pack=`,
      'ls-remote': `${transfer} upload-pack= exec= h`,
      push: `
        all branches mirror tags follow-tags atomic n dry-run receive-pack= exec= repo= f force
        force-with-lease force-if-includes d delete prune u set-upstream porcelain progress q
        quiet v verbose thin signed o= push-option= recurse-submodules verify no-verify 4 6 ipv4
        ipv6
      `,
      remote: `
        v verbose f t= m= tags no-tags mirror= push all add delete a auto d n dry-run p prune
      `,
      submodule: `
        q quiet init recursive remote N no-fetch checkout merge rebase f force depth= b= branch=
        name= cached progress jobs= j= recommend-shallow reference= files summary-limit= default
        all
      `,
      maintenance: 'auto quiet task= schedule=',
      '*': '*',
    },
  },
};
