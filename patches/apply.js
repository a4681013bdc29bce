// The script "postinstall". Below node_modules the package is a dependency (statehouse/guard), and the packages that it would patch
// are not its own.
if (!import.meta.url.includes('/node_modules/')) await import('patch-package');
