import { type ExpandedWord, exact, unknown } from '../shell/field.ts';
import { sortArguments } from './options.ts';
import type { KnownProgram, ProgramCall, Programs, ShellPort } from './program.ts';
import { projectTool, runsProject } from './project-code.ts';

const mavenPhases =
  /^(?:validate|initialize|compile|process-\S+|generate-\S+|test|test-compile|package|verify|install|clean|site|integration-test|pre-integration-test|post-integration-test)$/;

/** Goals that only report, or run what the project itself declares. */
const mavenGoals =
  /^(?:dependency:(?:tree|list|analyze|resolve|go-offline|build-classpath|analyze-\S+)|versions:display-\S+|help:\S+|spotless:\S+|checkstyle:check|pmd:check|spotbugs:check|surefire:test|failsafe:(?:integration-test|verify)|jacoco:\S+|compiler:\S+|resources:\S+|spring-boot:(?:run|build-info|repackage|stop|start|test-run)|quarkus:(?:dev|test|build)|jetty:run|tomcat7:run|enforcer:enforce|formatter:\S+|fmt:\S+|ktlint:\S+|kotlin:compile|javadoc:javadoc|source:jar|war:war|jar:jar|liquibase:status|flyway:(?:info|validate)|license:\S+|sortpom:\S+|test)$/;

/** Properties by which Maven and Gradle run or load something else. */
const loadingProperty =
  /^-D(?:exec\.|argLine|maven\.(?:ext|home|repo\.remote|multiModule|user|conf)|jvm|surefire\.(?:class|provider)|java\.(?:security|system|class)|org\.gradle\.(?:jvmargs|java|wrapper)|gradle\.user|settings|user\.home|altDeployment|distribution|ant\.|script|command|cmd)|[\s;|&`$]|javaagent|agentpath/i;

function maven(call: ProgramCall): ExpandedWord | undefined {
  const { args, shell } = call;
  const { operands, valuesOf } = sortArguments(
    args,
    [
      'f',
      'file',
      's',
      'settings',
      'gs',
      'global-settings',
      'P',
      'pl',
      'projects',
      'T',
      'threads',
      'l',
      'rf',
      'resume-from',
      'D',
      'define',
    ],
    { singleDash: true },
  );
  for (const { kind, text } of operands) {
    if (text === 'deploy' || /(?:^|:)(?:deploy|release|site-deploy|nexus)/.test(text))
      shell.add({ kind: 'package.publish', values: { operations: [`mvn ${text}`] } });
    else if (kind !== 'exact' || !(mavenPhases.test(text) || mavenGoals.test(text)))
      shell.unresolved(`mvn ${text.slice(0, 80)} runs a plugin that is not known`);
  }
  for (const file of valuesOf('f', 'file', 's', 'settings', 'gs', 'global-settings'))
    shell.runFile(file, []);
  checkProperties(call);
  return projectTool(call);
}

function checkProperties({ name, args, shell }: ProgramCall): undefined {
  for (const { kind, text } of args)
    if (/^-[DP]/.test(text) && (kind !== 'exact' || loadingProperty.test(text)))
      shell.unresolved(`${name} ${text.slice(0, 80)} can make it run something else`);
}

/** Tasks are code of the project; those that publish are known by their names. */
function gradle(call: ProgramCall): ExpandedWord | undefined {
  const { args, shell } = call;
  for (const { kind, text } of args.filter((word) => !word.text.startsWith('-'))) {
    if (kind === 'unknown') shell.unresolved('gradle runs a task that is not known');
    if (/(?:^|:)(?:publish|upload|release|deploy)/i.test(text))
      shell.add({ kind: 'package.publish', values: { operations: [`gradle ${text}`] } });
  }
  checkProperties(call);
  return projectTool(call);
}

/** Programs whose operands are texts for a shell. */
const shellTexts: KnownProgram = ({ name, args, shell }) => {
  const { operands, valuesOf } = sortArguments(args, [
    ...['w', 'r', 'm', 'M', 'L', 'P', 'D', 'n', 's', 'p', 'c', 'i', 'k', 'l', 'S'],
    ...[
      'warmup',
      'runs',
      'min-runs',
      'max-runs',
      'names',
      'prefix',
      'prefix-colors',
      'prepare',
      'cleanup',
      'setup',
    ],
    ...[
      'conclude',
      'export-json',
      'export-markdown',
      'export-csv',
      'style',
      'command-name',
      'shell',
      'teardown',
    ],
  ]);
  const running =
    name === 'hyperfine'
      ? valuesOf('p', 's', 'c', 'S', 'prepare', 'cleanup', 'setup', 'conclude', 'shell')
      : valuesOf('teardown');
  for (const file of valuesOf('export-json', 'export-markdown', 'export-csv')) shell.writes(file);
  for (const { kind, text } of [
    ...operands,
    ...running.filter(({ text: one }) => /\s/.test(one)),
  ]) {
    const [, script] = /^(?:npm|pnpm|yarn|bun):([\w:*-]+)$/.exec(text) ?? [];
    if (script !== undefined) runsProject(shell);
    else if (kind === 'exact') shell.script(text);
    else shell.unresolved(`${name} runs text that is not known before the command runs`);
  }
  return unknown();
};

function cmake(call: ProgramCall): ExpandedWord | undefined {
  const { args, shell } = call;
  const { valuesOf, has } = sortArguments(args, [
    'S',
    'B',
    'G',
    'A',
    'T',
    'D',
    'U',
    'P',
    'C',
    'j',
    't',
    'target',
    'config',
    'preset',
    'prefix',
    'parallel',
  ]);
  if (has('E') && !args.some(({ text }) => /^(?:capabilities|echo|sha256sum|md5sum)$/.test(text)))
    shell.unresolved('cmake -E runs a command of its own');
  for (const script of valuesOf('P', 'C')) shell.runFile(script, []);
  for (const place of valuesOf('B', 'prefix')) shell.writes(place);
  if (has('install') && !has('prefix')) shell.writes(exact('/usr/local'));
  for (const { kind, text } of valuesOf('D')) {
    const [, value] =
      /^[^=]*(?:COMPILER|LAUNCHER|LINKER|PROGRAM|COMMAND|TOOLCHAIN)\w*(?::\w+)?=(.*)$/s.exec(
        text,
      ) ?? [];
    if (value === undefined) continue;
    if (
      kind !== 'exact' ||
      !/^$|^(?:on|off|true|false|yes|no|\d)$|^(?:gcc|g\+\+|clang|clang\+\+|ccache|sccache|mold|lld)(?:-[\d.]+)?$/i.test(
        value,
      )
    )
      loadsFile(value, shell);
  }
  return projectTool(call);
}

function loadsFile(value: string, shell: ShellPort): undefined {
  if (/^[\w./-]*\/[\w./-]+$/.test(value)) shell.runFile(exact(value), []);
  else shell.unresolved('cmake runs a program that an option says');
}

/** Names that image and video programs take for an instruction or an address. */
const mediaInstruction =
  /^(?:msl|mvg|ephemeral|inline|label|caption|text|epi|epdf|eps|ps|pdf|url|ftp|https?|show|win|x|concat|subfile|crypto|async|data|pipe|tee|md5|hls|rtmps?|rtp|tcp|udp|unix|srt):|^@|^\||movie=|textfile=/i;

const media: KnownProgram = (call) => {
  for (const { text } of call.args)
    if (mediaInstruction.test(text))
      call.shell.unresolved(`${call.name} takes ${text.slice(0, 60)} for an instruction`);
  for (const word of call.args) if (/^(?:\/|~|\.)/.test(word.text)) call.shell.reads(word);
  return projectTool(call);
};

/** Tasks of frameworks that throw data away. */
const losingTask =
  /(?:^|[:._-])(?:drop|wipe|fresh|refresh|reset|flush|truncate|purge|rollback|undo)(?:$|[:._-])/;

/** Tools that run tasks by name: code of the project, unless the name says that data is lost. */
export function checkTask(
  name: string,
  args: readonly ExpandedWord[],
  shell: ShellPort,
): undefined {
  for (const { text } of args.filter((word) => !word.text.startsWith('-')))
    if (losingTask.test(text))
      shell.add({
        kind: 'database.change',
        values: {
          operations: [`${name} ${text}`.slice(0, 200)],
          unbounded: true,
          withoutTransaction: true,
        },
      });
}

const tasks: KnownProgram = (call) => {
  checkTask(call.name, call.args, call.shell);
  return projectTool(call);
};

const running: KnownProgram = ({ args, stdin, shell }) =>
  shell.run(sortArguments(args, [], { stopsAtOperand: true }).operands, stdin);

export const buildPrograms: Programs = {
  mvn: maven,
  gradle,
  hyperfine: shellTexts,
  concurrently: shellTexts,
  cmake,
  valgrind: running,
  convert: media,
  magick: media,
  ffmpeg: media,
  ffprobe: media,
  identify: media,
  rails: tasks,
  rake: tasks,
  artisan: tasks,
  mix: tasks,
  'django-admin': tasks,
  symfony: tasks,
};
