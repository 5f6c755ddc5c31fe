export interface SchemaStatus {
  /** Migrations that were run; 0: the database is empty. */
  version: number;
  /** What this release needs, and brings. */
  needed: number;
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
