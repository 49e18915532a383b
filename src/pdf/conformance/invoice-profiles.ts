/** The profiles of Factur-X and ZUGFeRD, with the names that PDF metadata and invoice XML use for them. */

/** The values of `fx:ConformanceLevel` (Factur-X 1.0, 6.2.2). */
export const INVOICE_PROFILES = ['MINIMUM', 'BASIC WL', 'BASIC', 'EN 16931', 'EXTENDED', 'XRECHNUNG'] as const;
export type InvoiceProfile = (typeof INVOICE_PROFILES)[number];

export interface Invoice {
  xml: string;
  profile: InvoiceProfile;
}

const EN_16931 = 'urn:cen.eu:en16931:2017';
/** The guideline identifiers of each profile. Those of XRechnung are prefixes that a version follows; the others are complete. */
const GUIDELINES: Record<InvoiceProfile, readonly string[]> = {
  MINIMUM: ['urn:factur-x.eu:1p0:minimum'],
  'BASIC WL': ['urn:factur-x.eu:1p0:basicwl'],
  BASIC: [`${EN_16931}#compliant#urn:factur-x.eu:1p0:basic`],
  'EN 16931': [EN_16931],
  EXTENDED: [`${EN_16931}#conformant#urn:factur-x.eu:1p0:extended`],
  XRECHNUNG: [
    `${EN_16931}#compliant#urn:xeinkauf.de:kosit:xrechnung_`,
    `${EN_16931}#compliant#urn:xoev-de:kosit:standard:xrechnung_`,
  ],
};
/** The version in a guideline of XRechnung, with or without its extension. */
const VERSION = /^(\d\.\d)(?:#conformant#urn:xeinkauf\.de:kosit:extension:xrechnung_\1)?$/;

/** The version of `profile` that the guideline names; undefined if it names another profile. */
export function findVersion(guideline: string, profile: InvoiceProfile): string | undefined {
  const known = GUIDELINES[profile];
  if (profile !== 'XRECHNUNG') return known.includes(guideline) ? '1.0' : undefined;
  const start = known.find((each) => guideline.startsWith(each));
  return start && VERSION.exec(guideline.slice(start.length))?.[1];
}

/** An example of a guideline identifier that the profile accepts. */
export function profileGuideline(profile: InvoiceProfile): string {
  return profile === 'XRECHNUNG' ? `${GUIDELINES.XRECHNUNG[0]}3.0` : (GUIDELINES[profile][0] ?? '');
}

export function invoiceFilename(profile: InvoiceProfile): string {
  return profile === 'XRECHNUNG' ? 'xrechnung.xml' : 'factur-x.xml';
}

/**
 * `MINIMUM` and `BASIC WL` hold too little to be an invoice, so their XML is data of the invoice and not an alternative form of
 * it.
 */
export function profileRelationship(profile: InvoiceProfile): 'Data' | 'Alternative' {
  return profile === 'MINIMUM' || profile === 'BASIC WL' ? 'Data' : 'Alternative';
}
