#!/usr/bin/env node
/** The command `platen`: see `cli/commands.ts`. What is compiled is kept for the next start, which it makes half as long. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from './config.ts';

enableCompileCache(join(cacheFolder(), 'compiled')); // before there is anything to compile; where it cannot be kept nothing is lost
await import('./cli/commands.ts');
