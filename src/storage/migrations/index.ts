/** All migrations, oldest first. A migration that has been released is never changed. */
import type { Migration } from 'kysely/migration';
import { accounts } from './0001-accounts.ts';
import { resources } from './0002-resources.ts';
import { reports } from './0003-reports.ts';
import { reservations } from './0004-reservations.ts';
import { batches } from './0005-batches.ts';
import { webhooks } from './0006-webhooks.ts';
import { batchEvents } from './0007-batch-events.ts';
import { templateVersions } from './0008-template-versions.ts';
import { metadata } from './0009-metadata.ts';
import { keyManagement } from './0010-key-management.ts';

export const migrations: Record<string, Migration> = {
  '0001-accounts': accounts,
  '0002-resources': resources,
  '0003-reports': reports,
  '0004-reservations': reservations,
  '0005-batches': batches,
  '0006-webhooks': webhooks,
  '0007-batch-events': batchEvents,
  '0008-template-versions': templateVersions,
  '0009-metadata': metadata,
  '0010-key-management': keyManagement,
};
