/** The parts of the API's replies that these pages use. */
import type { Report } from '../shared/rendered-pdf.ts';

export interface List<T> {
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface Account {
  account_id: string;
  name: string;
  plan: string;
  auto_store: boolean;
  document_expired_webhook_url: string | null;
}

export interface DocumentRecord {
  document_id: string;
  filename: string;
  /** Media type. */
  type: string;
  bytes: number;
  pages: number;
  /** Pixels, of an image. */
  width?: number;
  height?: number;
  sha256: string;
  source: 'html' | 'markdown' | 'url' | 'template';
  template_id?: string;
  created_at: string;
  expires_at: string;
  report?: Report;
}

export interface TemplateRecord {
  template_id: string;
  name: string;
  engine: Engine;
  version: number;
  placeholders: string[];
  created_at: string;
  updated_at: string;
  /** Not in lists. */
  html?: string;
}

/** A file of a template. */
export interface AssetRecord {
  path: string;
  bytes: number;
}

export type Engine = 'placeholders' | 'liquid';

export interface VersionRecord {
  version: number;
  bytes: number;
  updated_at: string;
  /** Not in lists. */
  html?: string;
  engine?: Engine;
}

export interface BatchSummary {
  batch_id: string;
  status: 'queued' | 'running' | 'completed' | 'cancelled';
  total: number;
  succeeded: number;
  failed: number;
  cancelled?: number;
  created_at: string;
  completed_at?: string;
}

export interface BatchItem {
  index: number;
  reference: string | null;
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  document_id: string | null;
  url: string | null;
  pages: number | null;
  bytes: number | null;
  error?: { code: string; detail?: string };
}

export interface Batch extends BatchSummary {
  items: BatchItem[];
}

export interface Usage {
  plan: string;
  period: { start: string; end: string };
  documents: { limit: number | null; used: number; remaining: number | null };
  storage: { documents: number; bytes: number };
  daily: Day[];
}

export interface Day {
  date: string;
  documents: number;
}

export interface Delivery {
  delivery_id: string;
  type: string;
  url: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  next_attempt_at: string | null;
  response_status?: number;
  error?: string;
  created_at: string;
}

export interface WebhookSecret {
  secret: string;
  created_at: string;
  previous: Array<{ secret: string; created_at: string; expires_at: string }>;
}
