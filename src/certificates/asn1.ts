/** Reads DER and BER (ITU-T X.690) with limits: bytes in, values that are asked for by their place out. */
import * as asn1js from 'asn1js';

/** The bytes are not what they should be. */
export class Malformed extends Error {
  override name = 'Malformed';
}

const MAX_VALUES = 10_000;

/** One value with its tag. */
export type Value = asn1js.BaseBlock;

/** Throws `Malformed`, also where there are more than `maxValues` of them. */
export function parse(bytes: Uint8Array, maxValues = MAX_VALUES): Value {
  const { result, offset } = asn1js.fromBER(Uint8Array.from(bytes), { maxNodes: maxValues });
  if (offset < 0 || result.error) throw new Malformed('not ASN.1');
  return result;
}

/** The parts of a SEQUENCE, a SET or a value with an explicit tag. */
export function parts(value: Value | undefined): Value[] {
  if (value instanceof asn1js.Constructed || value instanceof asn1js.Sequence || value instanceof asn1js.Set)
    return value.valueBlock.value;
  throw new Malformed('no SEQUENCE');
}

export function oid(value: Value | undefined): string {
  if (value instanceof asn1js.ObjectIdentifier) return value.valueBlock.toString();
  throw new Malformed('no OBJECT IDENTIFIER');
}

/** The content of an OCTET STRING, also one in pieces, and one whose tag is implicit. */
export function octets(value: Value | undefined): Buffer {
  if (value instanceof asn1js.OctetString) return Buffer.from(value.getValue());
  if (value instanceof asn1js.Primitive) return Buffer.from(value.valueBlock.valueHexView);
  if (value instanceof asn1js.Constructed) return Buffer.concat(value.valueBlock.value.map(octets));
  throw new Malformed('no OCTET STRING');
}

/** A whole number that counts something. */
export function count(value: Value | undefined): number {
  if (!(value instanceof asn1js.Integer)) throw new Malformed('no INTEGER');
  const number = Number(value.toBigInt());
  if (!Number.isSafeInteger(number) || number < 0) throw new Malformed('an INTEGER out of range');
  return number;
}

/** As it stands in the file. */
export function der(value: Value | undefined): Buffer {
  if (!value) throw new Malformed('a value is missing');
  return Buffer.from(value.valueBeforeDecodeView);
}
