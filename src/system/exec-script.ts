const assignment = /^\s*[A-Za-z_]\w*=/;

/**
 * A script that ends as the program itself, so that signals reach it. Variables before the program
 * are set for it alone, as in a shell; `exec` would take the first of them for the program.
 */
export function execScript(command: string): string {
  return assignment.test(command) ? `exec env ${command}` : `exec ${command}`;
}
