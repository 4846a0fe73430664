package envoytest

func (w *worker) callForeignFunction(name, parameter string) (string, status) {
	function, ok := w.envoy.options.ForeignFunctions[name]
	if !ok {
		return "", statusNotFound
	}
	return string(function([]byte(parameter))), statusOK
}
