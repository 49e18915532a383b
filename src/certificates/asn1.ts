/** Parses DER and BER (ITU-T X.690) within limits: bytes in, values out. */
import * as asn1js from 'asn1js';

export class MalformedAsn1Error extends Error {
  override name = 'MalformedAsn1Error';
}

const MAX_VALUES = 10_000;

export type Value = asn1js.BaseBlock;

/** Throws `MalformedAsn1Error`, also if the bytes contain more than `maxValues` values. */
export function parse(bytes: Uint8Array, maxValues = MAX_VALUES): Value {
  const { result, offset } = asn1js.fromBER(Uint8Array.from(bytes), { maxNodes: maxValues });
  if (offset < 0 || result.error) throw new MalformedAsn1Error('not ASN.1');
  return result;
}

/** The members of a SEQUENCE, a SET or a value with an explicit tag. */
export function readMembers(value: Value | undefined): Value[] {
  if (value instanceof asn1js.Constructed || value instanceof asn1js.Sequence || value instanceof asn1js.Set)
    return value.valueBlock.value;
  throw new MalformedAsn1Error('not a SEQUENCE');
}

export function oid(value: Value | undefined): string {
  if (value instanceof asn1js.ObjectIdentifier) return value.valueBlock.toString();
  throw new MalformedAsn1Error('not an OBJECT IDENTIFIER');
}

/** The content of an OCTET STRING, which can be constructed from segments or have an implicit tag. */
export function octets(value: Value | undefined): Buffer {
  if (value instanceof asn1js.OctetString) return Buffer.from(value.getValue());
  if (value instanceof asn1js.Primitive) return Buffer.from(value.valueBlock.valueHexView);
  if (value instanceof asn1js.Constructed) return Buffer.concat(value.valueBlock.value.map(octets));
  throw new MalformedAsn1Error('not an OCTET STRING');
}

/** A non-negative integer, such as an iteration count. */
export function integer(value: Value | undefined): number {
  if (!(value instanceof asn1js.Integer)) throw new MalformedAsn1Error('not an INTEGER');
  const number = Number(value.toBigInt());
  if (!Number.isSafeInteger(number) || number < 0) throw new MalformedAsn1Error('an INTEGER out of range');
  return number;
}

/** The original encoding of a value. */
export function der(value: Value | undefined): Buffer {
  if (!value) throw new MalformedAsn1Error('a value is missing');
  return Buffer.from(value.valueBeforeDecodeView);
}
