/** The profiles of Factur-X and ZUGFeRD: how a PDF names each of them, and how the XML of an invoice does. */

/** As `fx:ConformanceLevel` has them (Factur-X 1.0, 6.2.2). */
export const INVOICE_PROFILES = ['MINIMUM', 'BASIC WL', 'BASIC', 'EN 16931', 'EXTENDED', 'XRECHNUNG'] as const;
export type InvoiceProfile = (typeof INVOICE_PROFILES)[number];

/** An invoice that software can read, beside the pages that people read. */
export interface Invoice {
  xml: string;
  profile: InvoiceProfile;
}

const EN_16931 = 'urn:cen.eu:en16931:2017';
/** How the guideline of an invoice begins: that of XRechnung ends with its version, those of the others end here. */
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
/** Of XRechnung, with its extension or without. */
const VERSION = /^(\d\.\d)(?:#conformant#urn:xeinkauf\.de:kosit:extension:xrechnung_\1)?$/;

/** The version of the profile that the guideline names; undefined where it names another profile. */
export function versionOf(guideline: string, profile: InvoiceProfile): string | undefined {
  const known = GUIDELINES[profile];
  if (profile !== 'XRECHNUNG') return known.includes(guideline) ? '1.0' : undefined;
  const start = known.find((each) => guideline.startsWith(each));
  return start && VERSION.exec(guideline.slice(start.length))?.[1];
}

/** An example of the guideline that a profile asks for. */
export function guidelineOf(profile: InvoiceProfile): string {
  return profile === 'XRECHNUNG' ? `${GUIDELINES.XRECHNUNG[0]}3.0` : (GUIDELINES[profile][0] ?? '');
}

export function invoiceFilename(profile: InvoiceProfile): string {
  return profile === 'XRECHNUNG' ? 'xrechnung.xml' : 'factur-x.xml';
}

/** Two profiles hold too little to be an invoice by themselves: the XML is data of the invoice, and no other form of it. */
export function relationshipOf(profile: InvoiceProfile): 'Data' | 'Alternative' {
  return profile === 'MINIMUM' || profile === 'BASIC WL' ? 'Data' : 'Alternative';
}
