/** The records of the API that these pages use, as the client library describes them. */
import type { Usage as AnyUsage, StorageUse, Template } from '../../clients/typescript/src/api.ts';

export type {
  Account,
  AdminAccount,
  AdminFailure,
  ApiKey,
  AuditEntry,
  Batch,
  BatchItemResult as BatchItem,
  BatchSummary,
  Certificate,
  Comparison,
  DailyUse as Day,
  Document as DocumentRecord,
  FailedWebhook,
  KeyRequest,
  Link,
  LoggedRequest,
  Plan,
  Playground,
  ServiceState,
  TemplateAsset as AssetRecord,
  TemplateVersion as VersionRecord,
  UsageSum,
  WebhookDelivery as Delivery,
  WebhookSecret,
} from '../../clients/typescript/src/api.ts';

export interface List<T> {
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface TemplateRecord extends Template {
  /** Not in lists. */
  html?: string;
  samples?: Record<string, Record<string, unknown>>;
  schema?: Record<string, unknown> | null;
}

/** The usage of an account. That of a part of it has no limits. */
export interface Usage extends AnyUsage {
  documents: { used: number; limit: number | null; remaining: number | null };
  storage: StorageUse;
}

/** The usage of an earlier month. */
export type PastUsage = Omit<AnyUsage, 'plan' | 'storage'>;

export type Engine = Template['engine'];
