// What somebody writes who has nested rows and wants a table.
export function flatten(row, prefix = '', out = {}) {
  for (const [key, value] of Object.entries(row)) {
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) flatten(value, `${prefix}${key}.`, out);
    else out[prefix + key] = Array.isArray(value) ? JSON.stringify(value) : value;
  }
  return out;
}
