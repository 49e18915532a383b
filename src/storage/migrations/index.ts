/**
 * All migrations, oldest first. A migration that has landed is never changed; a test compares its checksum. Each must make the same
 * tables in both databases, because `schema.ts` runs it in memory to learn which tables to expect.
 */
import type { Migration } from 'kysely/migration';
import { baseline } from './0025-baseline.ts';
import { documentsOfReservations } from './0026-documents-of-reservations.ts';
import { requestLog } from './0027-request-log.ts';
import { templates } from './0028-templates.ts';
import { sharedTemplates } from './0030-shared-templates.ts';
import { accountDefaults } from './0031-account-defaults.ts';
import { sessions } from './0034-sessions.ts';
import { failurePictures } from './0035-failure-pictures.ts';
import { administration } from './0036-administration.ts';
import { failedWebhooks } from './0037-failed-webhooks.ts';
import { equalBatchItems } from './0038-equal-batch-items.ts';
import { dueBatchItems } from './0039-due-batch-items.ts';
import { usageSums } from './0040-usage-sums.ts';
import { webhookHistory } from './0041-webhook-history.ts';

export const migrations: Record<string, Migration> = {
  '0025-baseline': baseline,
  '0026-documents-of-reservations': documentsOfReservations,
  '0027-request-log': requestLog,
  '0028-templates': templates,
  '0030-shared-templates': sharedTemplates,
  '0031-account-defaults': accountDefaults,
  '0034-sessions': sessions,
  '0035-failure-pictures': failurePictures,
  '0036-administration': administration,
  '0037-failed-webhooks': failedWebhooks,
  '0038-equal-batch-items': equalBatchItems,
  '0039-due-batch-items': dueBatchItems,
  '0040-usage-sums': usageSums,
  '0041-webhook-history': webhookHistory,
};
