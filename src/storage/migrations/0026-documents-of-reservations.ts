/** A reservation can be of several documents: those of one assembly, which takes one slot. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const documentsOfReservations: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table reservations add column documents integer not null default 1`.execute(db);
  },
};
