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
import { batchLists } from './0011-batch-lists.ts';
import { tracing } from './0013-tracing.ts';
import { certificates } from './0014-certificates.ts';
import { limitsOfAllNodes } from './0016-limits-of-all-nodes.ts';
import { templateAssets } from './0017-template-assets.ts';
import { uploads } from './0018-uploads.ts';
import { deliveryTurns } from './0019-delivery-turns.ts';
import { images } from './0020-images.ts';
import { visitorRequests } from './0021-visitor-requests.ts';
import { accountStates } from './0022-account-states.ts';
import { operatorKey } from './0023-operator-key.ts';
import { openItems } from './0024-open-items.ts';

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
  '0011-batch-lists': batchLists,
  '0013-tracing': tracing,
  '0014-certificates': certificates,
  '0016-limits-of-all-nodes': limitsOfAllNodes,
  '0017-template-assets': templateAssets,
  '0018-uploads': uploads,
  '0019-delivery-turns': deliveryTurns,
  '0020-images': images,
  '0021-visitor-requests': visitorRequests,
  '0022-account-states': accountStates,
  '0023-operator-key': operatorKey,
  '0024-open-items': openItems,
};
