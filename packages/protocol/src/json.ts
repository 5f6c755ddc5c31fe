/** A JSON value as RFC 8259 has it; numbers are IEEE 754 doubles, as RFC 7493 (I-JSON) asks. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [member: string]: JsonValue;
}
