/** The messages between the service and the processes that check data by a JSON Schema. */

export type SchemaTask =
  /** Compiles a schema, and checks samples by it. */
  | { kind: 'compile'; schema: string; samples: Array<readonly [name: string, json: string]> }
  /** `key` identifies one version of one template. The processes cache its compiled schema. */
  | { kind: 'check'; key: string; schema: string; data: string };

export interface Fault {
  /** A JSON Pointer (RFC 6901) in the schema or in the data. */
  pointer: string;
  message: string;
}

export type SchemaAnswer =
  /** Empty if the schema, or the data, is valid. */
  | { faults: Fault[]; samples?: Array<{ name: string; faults: Fault[] }> }
  /** The schema and the data together ask too much. */
  | { failure: string };
