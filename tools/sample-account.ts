/** Creates an account with realistic data for screenshots of the dashboard. */
import { Client } from '../test/support/client.ts';
import type { Service } from '../test/support/service.ts';

export interface SampleAccount {
  key: string;
  templateId: string;
  batchId: string;
}

const INVOICE = `<style>
  body { font: 13px/1.5 Arimo, sans-serif; margin: 2cm; }
  h1 { font-size: 26px; margin-bottom: 1.2cm; }
  td { border-top: 1px solid #ccc; padding: 6px 24px 6px 0; }
</style>
<h1>Invoice {{number}}</h1>
<p>{{customer.name}}<br>{{customer.city}}</p>
<table>
  <tr><td>Paper, A4, 80 g</td><td>{{amount}}</td></tr>
  <tr><td>To be paid by {{due}}</td><td><b>{{amount}}</b></td></tr>
</table>
`;
const CUSTOMERS = ['Ada & Sons', 'Grace Ltd', 'Hedy GmbH', 'Katherine SARL', 'Radia AB', 'Sophie & Co'];

export async function makeSampleAccount(service: Service): Promise<SampleAccount> {
  const { key } = await service.createKey('free');
  const client = new Client(service.url, key);
  const { template_id } = await client.template(INVOICE.replace('{{customer.city}}', ''), { name: 'Invoice' });
  await client.send('PUT', `/v1/templates/${template_id}`, { html: INVOICE });
  await client.store({ html: '<h1>Terms</h1><p style="break-after: page">One<p>Two', filename: 'terms-2026.pdf' });
  for (const [index, name] of CUSTOMERS.entries()) {
    const data = { number: `2026-${101 + index}`, customer: { name, city: 'London' }, amount: '€ 54.00', due: '1 December' };
    await client.store({ template_id, data, filename: `invoice-2026-${101 + index}.pdf` });
  }
  const statements = Array.from({ length: 18 }, (_, index) => ({
    reference: `statement-${index + 1}`,
    filename: `statement-${index + 1}.pdf`,
    html: `<h1>Statement ${index + 1}</h1>`,
  }));
  const broken = { reference: 'statement-19', html: '<p>x', options: { scale: 9 } };
  const items = [statements.slice(0, 3), broken, statements.slice(3)].flat();
  const batch = await client.send('POST', '/v1/batches', { items }, { prefer: 'wait=60' });
  return { key, templateId: template_id, batchId: ((await batch.json()) as { batch_id: string }).batch_id };
}
