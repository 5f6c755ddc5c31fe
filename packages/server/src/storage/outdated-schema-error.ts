export interface SchemaStatus {
  /** Migrations that were run; 0: the database is empty. */
  version: number;
  /** What this release needs, and brings. */
  needed: number;
}

/** Why an older release leaves it alone, in a sentence; undefined for a schema that this one knows. */
export function findNewerSchema({ version, needed }: SchemaStatus): string | undefined {
  if (version <= needed) return undefined;
  return (
    `The database has schema version ${version}, but this Permitry knows ${needed}: ` +
    'it was written by a newer release. Start that release or a later one; nothing was changed.'
  );
}

/** A database whose schema somebody else is to bring up to date. */
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
