/** The pages of the dashboard, in the order of the navigation. Each is one line here, and is fetched when it is shown. */
import type { ComponentType } from 'preact';
import { lazyPage } from '../shell/lazy-page.tsx';

export interface PageEntry {
  /** The segment of the URL after `/dashboard/`. */
  path: string;
  title: string;
  /** Whether only administrators see it. */
  isAdministration?: boolean;
  /** The page that stands for it in the navigation. Default: itself. */
  within?: string;
  Page: ComponentType<{ query: URLSearchParams }>;
  /** Shows one object of the page, whose id is the next segment. */
  One?: ComponentType<{ id: string }>;
}

export const PAGES: PageEntry[] = [
  {
    path: 'documents',
    title: 'Documents',
    Page: lazyPage('the documents', async () => (await import('./documents-page.tsx')).DocumentsPage),
    One: lazyPage('the document', async () => (await import('./document-page.tsx')).DocumentPage),
  },
  {
    path: 'templates',
    title: 'Templates',
    Page: lazyPage('the templates', async () => (await import('./templates-page.tsx')).TemplatesPage),
    One: lazyPage('the template', async () => (await import('./template-page.tsx')).TemplatePage),
  },
  {
    path: 'assemble',
    title: 'Assemble',
    Page: lazyPage('the pages', async () => (await import('./assembly/assemble-page.tsx')).AssemblePage),
  },
  {
    path: 'batches',
    title: 'Batches',
    Page: lazyPage('the batches', async () => (await import('./batches-page.tsx')).BatchesPage),
    One: lazyPage('the batch', async () => (await import('./batch-page.tsx')).BatchPage),
  },
  {
    path: 'requests',
    title: 'Requests',
    Page: lazyPage('the requests', async () => (await import('./requests-page.tsx')).RequestsPage),
    One: lazyPage('the request', async () => (await import('./request-page.tsx')).RequestPage),
  },
  { path: 'usage', title: 'Usage', Page: lazyPage('the usage', async () => (await import('./usage-page.tsx')).UsagePage) },
  {
    path: 'webhooks',
    title: 'Webhooks',
    Page: lazyPage('the webhooks', async () => (await import('./webhooks-page.tsx')).WebhooksPage),
    One: lazyPage('the webhook', async () => (await import('./delivery-page.tsx')).DeliveryPage),
  },
  {
    path: 'certificates',
    title: 'Certificates',
    Page: lazyPage('the certificates', async () => (await import('./certificates-page.tsx')).CertificatesPage),
  },
  {
    path: 'account',
    title: 'Account',
    Page: lazyPage('the account', async () => (await import('./account-page.tsx')).AccountPage),
  },
  { path: 'keys', title: 'Keys', Page: lazyPage('the keys', async () => (await import('./keys-page.tsx')).KeysPage) },
  {
    path: 'admin',
    title: 'Administration',
    isAdministration: true,
    Page: lazyPage('the state of the service', async () => (await import('./admin/overview-page.tsx')).OverviewPage),
  },
  {
    path: 'admin-accounts',
    title: 'Accounts',
    within: 'admin',
    Page: lazyPage('the accounts', async () => (await import('./admin/accounts-page.tsx')).AccountsPage),
    One: lazyPage('the account', async () => (await import('./admin/account-page.tsx')).AccountPage),
  },
  {
    path: 'admin-webhooks',
    title: 'Failed webhooks',
    within: 'admin',
    Page: lazyPage('the webhooks', async () => (await import('./admin/failed-webhooks-page.tsx')).FailedWebhooksPage),
  },
  {
    path: 'admin-audit',
    title: 'Audit log',
    within: 'admin',
    Page: lazyPage('the audit log', async () => (await import('./admin/audit-page.tsx')).AuditPage),
  },
];

/** `path` is the segment of the URL after `/dashboard/`. */
export function findPage(path: string): PageEntry | undefined {
  return PAGES.find((page) => page.path === path);
}
