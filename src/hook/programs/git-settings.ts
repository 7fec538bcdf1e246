import type { ExpandedWord } from '../shell/field.ts';
import type { ShellPort } from './program.ts';

/** A command of git, such as `commit`. */
export type GitVerb = (args: readonly ExpandedWord[], shell: ShellPort) => ExpandedWord | undefined;

const harmlessSettings =
  /^(?:user\.\w+|color\.[\w.]+|advice\.\w+|core\.(?:autocrlf|quotepath|ignorecase|eol|filemode|longpaths|whitespace|abbrev|excludesfile)|init\.defaultbranch|commit\.(?:gpgsign|template|verbose)|tag\.(?:gpgsign|sort)|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|parallel)|merge\.(?:conflictstyle|ff|renamelimit)|diff\.(?:algorithm|colormoved|renames|renamelimit)|rebase\.(?:autostash|autosquash)|rerere\.\w+|log\.\w+|branch\.(?:autosetuprebase|sort)|status\.\w+|help\.autocorrect|safe\.directory|http\.postbuffer|gc\.auto|format\.pretty|column\.\w+|lfs\.\w+|submodule\.recurse|feature\.\w+|index\.\w+|protocol\.version)$/i;

export function isHarmlessSetting(name: string): boolean {
  return harmlessSettings.test(name);
}
