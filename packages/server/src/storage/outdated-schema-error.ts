export interface SchemaStatus {
  /** Number of completed migrations. 0: the database is empty. */
  version: number;
  /** The oldest version whose release may serve the database. */
  servesFrom: number;
  /** The version that this release needs, and can create. */
  needed: number;
}

/**
 * Why this older release must not use the database, in a sentence. Undefined for a schema that this release may serve.
 */
export function findNewerSchema({ version, servesFrom, needed }: SchemaStatus): string | undefined {
  if (servesFrom <= needed) return undefined;
  return (
    `The database has schema version ${Math.max(version, servesFrom)}, but this Permitry knows ${needed}: ` +
    'it was written by a newer release. Start that release or a later one; nothing was changed.'
  );
}

/** Thrown for a database whose schema another process must update. */
export class OutdatedSchemaError extends Error {
  readonly status: SchemaStatus;

  constructor(status: SchemaStatus) {
    super(
      status.version === 0
        ? 'There is no gate in this database yet.'
        : `The database has schema version ${status.version}, and this Permitry needs ${status.needed}; run: permitry migrate`,
    );
    this.name = 'OutdatedSchemaError';
    this.status = status;
  }
}
