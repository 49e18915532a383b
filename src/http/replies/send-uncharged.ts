/** Sends the PDF of a render that is neither charged nor stored. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RenderedPdf } from '../../render/pdf.ts';
import { JSON_TYPE, PDF } from '../server/negotiation.ts';
import { binary, header } from './response-schema.ts';
import { serverTiming } from './send-delivery.ts';
import { REPORTED_SCHEMA, sendResult } from './send-report.ts';
import type { Content } from './spool-pdf.ts';

export function sendUncharged(request: FastifyRequest, reply: FastifyReply, pdf: RenderedPdf, content: Content): FastifyReply {
  reply.header('platen-warnings', pdf.report.warning_count).header('server-timing', serverTiming(pdf));
  return sendResult(request, reply, { ...pdf, filename: undefined }, content);
}

export const UNCHARGED = {
  description: 'The PDF, or the PDF with the report of its render if Accept names application/json alone.',
  headers: {
    'Platen-Pages': header('integer', 'Number of pages.'),
    'Platen-Warnings': header('integer', 'Number of warnings.'),
    'Server-Timing': header('string', 'Milliseconds spent in the phases queue, load, print and finish.'),
  },
  content: { ...binary(PDF), [JSON_TYPE]: { schema: REPORTED_SCHEMA } },
};
