/** Opens the database in a folder and kills itself before its nth statement. Exits with 0 if there are fewer statements. */
import { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../src/storage/database.ts';

const [dataDir = '', statementNumber] = process.argv.slice(2);
let left = Number(statementNumber);

const prepare = DatabaseSync.prototype.prepare;
DatabaseSync.prototype.prepare = function (...parameters) {
  const statement = prepare.apply(this, parameters);
  for (const method of ['run', 'all'] as const) {
    const original = statement[method].bind(statement) as (...values: unknown[]) => never;
    statement[method] = (...values: unknown[]) => {
      if (--left === 0) process.kill(process.pid, 'SIGKILL');
      return original(...values);
    };
  }
  return statement;
};

await (await openDatabase({ dataDir })).close();
